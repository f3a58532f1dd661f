import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
import { useRead } from '../../account/use-store.ts';
import { Conversation } from '../../conversation/conversation.tsx';
import { Yank } from '../../dashboard/yank.tsx';
import { Files } from '../files/files.tsx';
import { KeysHelp, useKeys } from '../keys.tsx';
import { Facts, Findings, History, Served, stateWords } from './about.tsx';
import { Assignee } from './assignee.tsx';
import { ChangesPanel, comparisonOf, WholeList } from './changes-panel.tsx';
import { Decide } from './decide.tsx';
import { LockBar } from './lock-bar.tsx';
import { missingApps } from './missing-apps.ts';
import { QueuePane } from './queue-pane.tsx';
import { LookAlikes, Seen } from './seen.tsx';
import { useLock } from './use-lock.ts';

const REVIEW = [
  ['m', 'assign to me'],
  ['a', 'approve, after a confirmation'],
  ['c', 'request changes'],
  ['x', 'reject, with a reason'],
  ['n', 'next version, after your decision'],
  ['[, ]', 'previous, next version of the queue'],
  ['j, k', 'next, previous file'],
  ['d', 'show the changes or the whole file'],
  ['u', 'back to the queue'],
] as const;

function Warnings({ review }: { review: Review }) {
  return (
    <>
      {review.publisher.suspended ? (
        <p className="note">The publisher of this version is suspended.</p>
      ) : null}
      {missingApps(review).map(({ path, message }) => (
        <p key={path} className="note">
          {visible(message)}
        </p>
      ))}
      {review.review?.superseded ? (
        <p className="note">A newer upload of this app exists. You can still decide on this one.</p>
      ) : null}
    </>
  );
}

function Screen({ review }: { review: Review }) {
  const isInReview = review.status === 'in_review';
  const { lockStatus, take, takeAway, settle } = useLock(review, isInReview);
  const { version, base } = comparisonOf(review);
  useKeys({ u: () => window.location.assign('/moderation') });
  return (
    <>
      <div className="head">
        <h1>
          <bdi>{visible(review.manifest.name)}</bdi> {visible(review.version)}{' '}
          <span className="soft">
            <code>{visible(review.appId)}</code>
          </span>
        </h1>
        <span className="buttons">
          <a className="button quiet" href="/moderation">
            Back to the queue
          </a>
          <KeysHelp keys={REVIEW} />
        </span>
      </div>
      <div className="lock-line">
        {isInReview ? (
          <>
            <LockBar lockStatus={lockStatus} take={take} takeAway={takeAway} />
            <Assignee review={review} />
          </>
        ) : (
          <p className="lock-bar" role="status">
            Not in review: this version is {stateWords(review.status)}.
          </p>
        )}
      </div>
      {review.status === 'published' ? (
        <Yank own={{ slug: review.publisher.slug, appId: review.appId }} version={review.version} />
      ) : null}
      <Warnings review={review} />
      <div className="evidence">
        <div>
          <Seen review={review} was={base?.manifest ?? null} />
          <Facts review={review} />
        </div>
        <div>
          <LookAlikes review={review} />
          <Findings issues={review.issues} />
          <ChangesPanel review={review} />
          <Served served={review.served} />
          <WholeList review={review} />
        </div>
      </div>
      <Files review={review} baseVersion={version} />
      <Conversation side="store" appId={review.appId} version={review.version} />
      <History review={review} />
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
    <Loaded query={review} page={`${appId} ${version}`}>
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
