import type { QueueEntry, Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count } from '@svc/text/quantity';
import { Button, ButtonLink, ConfirmButton, ErrorMessage, Fault, Loaded, Options, useMedia } from '@svc/ui';
import { useId } from 'react';
import { useActor, useChange, useRead, useSignedIn } from '../../account/use-store.ts';
import { visit } from '../../address.ts';
import { TakeDown } from '../../dashboard/yank.tsx';
import { bundleFault, useBundles } from '../files/use-bundles.ts';
import { KeysHelp, useKeys } from '../keys.tsx';
import { listPath, queueSearch } from '../use-queue.ts';
import { pathOf } from '../version-path.ts';
import { useWho } from '../who.ts';
import { dueWords } from '../words.ts';
import { stateWords } from './about.tsx';
import { comparisonOf } from './changes-panel.tsx';
import { Decide, hasApprovedFirst } from './decide.tsx';
import { Evidence } from './evidence.tsx';
import { Findings } from './findings.tsx';
import { Head } from './head.tsx';
import { LookAlikes } from './seen.tsx';
import { type LockStatus, useLock } from './use-lock.ts';

const WIDE = '(min-width: 80rem)';
const MAX_SHOWN = 50;

type Ref = { appId: string; version: string };

function Entry({ entry, isOpen }: { entry: QueueEntry; isOpen: boolean }) {
  return (
    <li>
      <a href={pathOf(entry)} {...(isOpen && { 'aria-current': 'page' as const })}>
        <bdi>{visible(entry.name)}</bdi>
        <span className="soft">
          {visible(entry.version)}, {dueWords(entry.dueAt, Date.now())}
        </span>
      </a>
    </li>
  );
}

function Entries({ open, isDecided }: { open: Ref; isDecided: boolean }) {
  const query = { ...Object.fromEntries(new URLSearchParams(queueSearch())), limit: MAX_SHOWN };
  const { data } = useRead(apiRequest('GET /api/moderation/queue', { query }));
  const entries = data?.entries ?? [];
  const at = entries.findIndex(({ appId, version }) => appId === open.appId && version === open.version);
  const go = (by: number) => () => {
    const entry = entries[at + by];
    if (at >= 0 && entry) visit(pathOf(entry));
  };
  useKeys({ ']': go(1), '[': go(-1) });
  return (
    <nav className="queue-pane" aria-label="Queue">
      <p className="soft">
        {data ? `${count(data.total - (isDecided && at >= 0 ? 1 : 0), 'version')} waiting` : 'Loading…'}
      </p>
      <ol className="bare">
        {entries.map((entry, index) =>
          // A decided version leaves the list; its place stays, from which the keys go on.
          isDecided && index === at ? null : (
            <Entry key={pathOf(entry)} entry={entry} isOpen={index === at} />
          ),
        )}
      </ol>
    </nav>
  );
}

/** The queue with its last filters, next to the open version; hidden in a narrow window. */
const QueuePane = ({ open }: { open: Review }) =>
  useMedia(WIDE) ? <Entries open={open} isDecided={open.status !== 'in_review'} /> : null;

const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const at = (iso: string): string => TIME.format(new Date(iso));

function textOf(lockStatus: LockStatus, who: (by: string) => string): string {
  switch (lockStatus.kind) {
    case 'taking':
      return 'Locking this version for you…';
    case 'mine':
      return `Locked by you until ${at(lockStatus.until)}. The lock is renewed while this page is open.`;
    case 'others':
      return lockStatus.wasMine
        ? `Your lock expired, and ${who(lockStatus.lock.by)} locked this version. Your text is kept.`
        : `Locked by ${who(lockStatus.lock.by)} until ${at(lockStatus.lock.until)}. You can read this version; to decide, override the lock.`;
    case 'handled':
      return `Not in review: this version is ${lockStatus.status}.`;
    case 'failed':
      return `This version could not be locked: ${lockStatus.message}`;
  }
}

/** The lock of the open version, and the actions on it. */
function LockBar({
  lockStatus,
  take,
  takeAway,
}: {
  lockStatus: LockStatus;
  take(): Promise<void>;
  takeAway(): Promise<void>;
}) {
  const who = useWho();
  const { role } = useSignedIn();
  const { kind } = lockStatus;
  const isFree = kind === 'mine' || kind === 'taking';
  return (
    <div className={`cluster apart ${isFree ? 'lock-bar' : 'callout'}`}>
      <p role={isFree ? 'status' : 'alert'}>{textOf(lockStatus, who)}</p>
      {kind === 'others' || kind === 'failed' ? (
        <span className="buttons">
          <Button label="Retry the lock" onClick={() => void take()} />
          {kind === 'others' && role === 'administrator' ? (
            <ConfirmButton
              label="Take over the lock"
              sure="Take over the lock of a moderator who may be reviewing?"
              act={() => void takeAway()}
            />
          ) : null}
        </span>
      ) : null}
    </div>
  );
}

/** Shows and changes the moderator that a version in review is assigned to. */
function Assignee({ review }: { review: Review }) {
  const id = useId();
  const mine = useActor();
  const { data } = useRead(apiRequest('GET /api/moderation/moderators'));
  const from = review.review?.assignedTo ?? null;
  const assign = useChange((to: string | null) =>
    apiRequest('PUT /api/moderation/apps/:appId/versions/:version/assignment', {
      params: { appId: review.appId, version: review.version },
      json: { to, from },
    }),
  );
  const take = () => {
    if (from !== mine && !assign.isPending) assign.mutate(mine);
  };
  useKeys({ m: take });
  return (
    <div className="cluster assignee">
      <label htmlFor={id}>Assigned to</label>
      <select
        id={id}
        value={from ?? ''}
        disabled={assign.isPending}
        onChange={({ target }) => assign.mutate(target.value === '' ? null : target.value)}
      >
        <option value="">No moderator</option>
        <Options
          of={data?.moderators.map(({ by, name }) => [by, by === mine ? 'you' : visible(name)]) ?? []}
        />
      </select>
      {from === mine ? null : <Button label="Assign to me (m)" runs={assign} onClick={take} />}
      <ErrorMessage error={assign.error} />
    </div>
  );
}

const REVIEW = [
  ['m', 'assign to me'],
  ['a', 'approve, after a confirmation'],
  ['c', 'request changes'],
  ['x', 'reject, with a reason'],
  ['n', 'next version, after your decision'],
  ['[, ]', 'previous, next version of the queue'],
  ['1 … 6', 'tabs of the evidence'],
  ['j, k', 'next, previous file'],
  ['d', 'show the changes or the whole file'],
  ['u', 'back to the queue'],
] as const;

/** What a moderator must know whichever tab is open. */
function Warnings({ review, fault }: { review: Review; fault: string | null }) {
  return (
    <>
      {fault === null ? null : <Fault>{fault}</Fault>}
      {review.publisher.suspended ? (
        <p className="callout">The publisher of this version is suspended.</p>
      ) : null}
      {review.review?.superseded ? (
        <p className="callout">A newer upload of this app exists. You can still decide on this one.</p>
      ) : null}
      <div className="evidence">
        <Findings issues={review.issues} served={review.served} />
        <LookAlikes review={review} />
      </div>
    </>
  );
}

function Screen({ review }: { review: Review }) {
  const isInReview = review.status === 'in_review';
  const me = useActor();
  // The first of two leaves the version to the second.
  const isMineToDecide = isInReview && !hasApprovedFirst(review, me);
  const { lockStatus, take, takeAway, settle } = useLock(review, isMineToDecide);
  const { version, base } = comparisonOf(review);
  const opened = useBundles(review, version);
  useKeys({ u: () => visit(listPath()) });
  return (
    <>
      <Head review={review} was={base?.manifest.name}>
        <ButtonLink label="Back to the list" className="quiet" href={listPath()} />
        <KeysHelp keys={REVIEW} />
      </Head>
      <div className="cluster apart">
        {isInReview ? (
          <>
            {isMineToDecide ? <LockBar lockStatus={lockStatus} take={take} takeAway={takeAway} /> : null}
            <Assignee review={review} />
          </>
        ) : (
          <p className="cluster apart lock-bar" role="status">
            Not in review: this version is {stateWords(review.status)}.
          </p>
        )}
      </div>
      {review.status === 'published' ? (
        <div className="buttons">
          <TakeDown own={{ slug: review.publisher.slug, appId: review.appId }} version={review.version} />
        </div>
      ) : null}
      <Warnings review={review} fault={bundleFault(review, opened.bundles)} />
      <Evidence review={review} baseVersion={version} {...opened} />
      <Decide review={review} lockStatus={lockStatus} settle={settle} />
    </>
  );
}

/** The review page of a version: everything needed to decide on it. */
export function ReviewScreen({ appId, version }: { appId: string; version: string }) {
  const review = useRead(
    apiRequest('GET /api/moderation/apps/:appId/versions/:version', { params: { appId, version } }),
  );
  return (
    <Loaded query={review} page={`${appId} ${version}`} back={<a href={listPath()}>Back to the list</a>}>
      {(data) => (
        <div className="panes">
          <QueuePane open={data} />
          <div className="pane">
            <Screen review={data} />
          </div>
        </div>
      )}
    </Loaded>
  );
}
