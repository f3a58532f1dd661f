import type { Issue, Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Button, ButtonLink } from '@svc/ui';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { read } from '../../account/api.ts';
import { useActor, useDraft } from '../../account/use-store.ts';
import { visit } from '../../address.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useKeys } from '../keys.tsx';
import { listPath } from '../use-queue.ts';
import { pathOf } from '../version-path.ts';
import { useWho } from '../who.ts';
import { approvalWords, REJECT_HINT } from '../words.ts';
import { type Outcome, useDecision, type Verdict } from './use-decision.ts';
import type { LockStatus } from './use-lock.ts';
import {
  Consequences,
  type Draft,
  EMPTY,
  givenFor,
  missingFor,
  NoteField,
  ReasonFields,
  useOverride,
} from './verdict-fields.tsx';

/** Code of the warning about a required app that is not in this store; it blocks the approval. */
const MISSING_REQUIREMENT = 'requires.id';

/** The findings that block the approval of a version: required apps that are not published in this store. */
const missingApps = ({ status, issues }: Pick<Review, 'status' | 'issues'>): Issue[] =>
  status === 'in_review'
    ? issues.filter(({ code, level }) => code === MISSING_REQUIREMENT && level === 'warning')
    : [];

type NextVersionProps = {
  /** The version that is open. */
  from: { appId: string; version: string };
  back: RefObject<HTMLAnchorElement | null>;
};

/** Links to the next version that no other moderator has locked or is assigned to, and back to the queue. */
function NextVersion({ from, back }: NextVersionProps) {
  const { data } = useQuery({
    queryKey: ['next', from.appId, from.version],
    queryFn: () =>
      read(
        apiRequest('GET /api/moderation/queue', {
          query: { lockedBy: 'nobody', changesRequested: false, limit: 20 },
        }),
      ),
  });
  const me = useActor();
  const next = data?.entries.find(
    ({ appId, version, assignedTo }) =>
      (appId !== from.appId || version !== from.version) && (assignedTo === null || assignedTo === me),
  );
  // The key also counts while the queue loads.
  const [isWanted, want] = useState(false);
  useKeys({ n: () => (next ? visit(pathOf(next)) : want(true)) });
  useEffect(() => {
    if (isWanted && next) visit(pathOf(next));
  }, [isWanted, next]);
  return (
    <div className="buttons">
      <ButtonLink label="Back to the list" ref={back} href={listPath()} />
      {next ? (
        <ButtonLink
          label={`Next (n): ${visible(next.name)} ${visible(next.version)}`}
          className="main"
          href={pathOf(next)}
        />
      ) : (
        <span className="soft" role="status">
          {data ? 'No other version waits.' : 'Looking for the next version…'}
        </span>
      )}
    </div>
  );
}

const CONFLICTS = {
  uploader: 'You uploaded it: another moderator must approve it.',
  member: 'You are a member of its publisher: another moderator must approve it.',
} as const;

/** The verdicts in the order of their buttons, each with its key. */
const VERDICTS = [
  {
    verdict: 'approve',
    key: 'a',
    tone: 'main',
    label: 'Approve',
    title: (name: string) => `Approve ${name}?`,
    hint: 'This signs and publishes the version immediately, and notifies the publisher.',
    confirm: 'Approve and publish',
  },
  {
    verdict: 'changes',
    key: 'c',
    tone: 'main',
    label: 'Request changes',
    title: (name: string) => `Request changes to ${name}?`,
    hint: 'The version stays in review. Members of the publisher read this by mail and on the page of the version, with your name.',
    confirm: 'Request changes',
  },
  {
    verdict: 'reject',
    key: 'x',
    tone: 'bad',
    label: 'Reject',
    title: (name: string) => `Reject ${name}?`,
    hint: REJECT_HINT,
    confirm: 'Reject',
  },
] as const;

/** The classes of the three buttons in a row: only one is the main button. */
const BUTTON = { approve: 'main', changes: '', reject: 'bad' } satisfies Record<Verdict, string>;

const nameOf = ({ manifest, version }: Review): string => `${visible(manifest.name)} ${visible(version)}`;

const DONE = {
  approve: approvalWords,
  changes: () => 'Changes requested. The publisher is notified, and the version stays in review.',
  reject: () => 'Decided: this version is rejected.',
} satisfies Record<Verdict, (status: string) => string>;

function outcomeWords(outcome: Outcome, who: (by: string) => string): string {
  if (outcome.kind === 'done') return DONE[outcome.verdict](outcome.status);
  if (outcome.kind !== 'refused') return '';
  const { lockStatus } = outcome;
  if (lockStatus.kind === 'handled')
    return `Another moderator decided first: this version is ${lockStatus.status} now. Your text is kept.`;
  if (lockStatus.kind === 'others')
    return `${who(lockStatus.lock.by)} has locked this version in the meantime. Your text is kept.`;
  return lockStatus.kind === 'failed' ? lockStatus.message : '';
}

/** What the first of two persons approved. */
const FIRSTS = {
  approve: 'approved it',
  unyank: 'approved that its yank is undone',
  tools: 'approved the changed tools of its server',
} as const;

/** Whether a moderator has approved a version as the first of two. */
export const hasApprovedFirst = ({ twoPersons }: Review, me: string): boolean =>
  twoPersons?.first?.act === 'approve' && twoPersons.first.by === me;

/** Whether two persons must decide, and how many have. */
function TwoPersons({ review: { twoPersons, status, names } }: { review: Review }) {
  const who = useWho(names);
  const me = useActor();
  if (!twoPersons || (status !== 'in_review' && !twoPersons.first)) return null;
  const { first } = twoPersons;
  const name = first && (first.by === me ? 'You' : who(first.by));
  return (
    <p>
      <strong>{first ? 'One of two' : 'Two persons'}.</strong>{' '}
      {first
        ? `${name} ${FIRSTS[first.act]}; another person must approve it too.`
        : 'The policy demands two approvals of this version, by different persons.'}
    </p>
  );
}

/** Why the version cannot be approved yet; empty when it can. */
const approvalBlockersOf = (review: Review, me: string): string[] => [
  ...(review.conflict ? [CONFLICTS[review.conflict]] : []),
  ...(hasApprovedFirst(review, me) ? ['One of two: you approved it, and another person must too.'] : []),
  ...missingApps(review).map(({ message }) => visible(message)),
];

function VerdictButtons({
  can,
  blockers,
  ask,
}: {
  can: Record<Verdict, boolean>;
  blockers: readonly string[];
  ask(verdict: Verdict): () => void;
}) {
  const whyNot = useId();
  return (
    <>
      {blockers.length > 0 ? (
        <p id={whyNot} className="fault">
          You cannot approve this version yet. {blockers.join(' ')}
        </p>
      ) : null}
      <div className="buttons">
        {VERDICTS.map(({ verdict, key, label }) => (
          <Button
            key={verdict}
            className={BUTTON[verdict]}
            disabled={!can[verdict]}
            {...(verdict === 'approve' && { 'aria-describedby': whyNot })}
            onClick={ask(verdict)}
          >
            {label}
            <span className="key"> ({key})</span>
          </Button>
        ))}
      </div>
    </>
  );
}

/** Whether an approval would be the first of two, which publishes nothing. */
const isFirst = (verdict: Verdict, { twoPersons }: Review): boolean =>
  verdict === 'approve' && twoPersons !== null && twoPersons.first?.act !== 'approve';

type Question = (typeof VERDICTS)[number];

const hintOf = ({ verdict, hint }: Question, review: Review): string =>
  isFirst(verdict, review)
    ? 'This is the first of two approvals: it is recorded, and the version stays in review until another person approves it too.'
    : hint;

const confirmOf = ({ verdict, confirm }: Question, review: Review): string =>
  isFirst(verdict, review) ? 'Approve as the first' : confirm;

type FieldsProps = { verdict: Verdict; review: Review; draft: Draft; change(part: Partial<Draft>): void };

/** The fields of a verdict: an optional note for an approval, otherwise a reason or a text. */
function VerdictFields({ verdict, review, draft, change }: FieldsProps): ReactNode {
  if (verdict === 'approve') {
    return (
      <>
        <Consequences review={review} />
        <NoteField
          label="Note"
          hint="Optional. The publisher reads it."
          value={draft.note}
          change={(note) => change({ note })}
        />
      </>
    );
  }
  return <ReasonFields draft={draft} change={change} />;
}

type DecideProps = { review: Review; lockStatus: LockStatus; settle(lockStatus: LockStatus): void };

/** The draft of a verdict, and how it is sent. */
function useVerdict({ review, lockStatus, settle }: DecideProps) {
  const { draft, change, clear } = useDraft(`desk ${review.appId} ${review.version}`, EMPTY);
  const { outcome, decide } = useDecision(review, settle);
  const { override, closed, field } = useOverride(lockStatus);
  const send = async (verdict: Verdict): Promise<boolean> => {
    const isSent = await decide(verdict, { ...givenFor(verdict, draft), ...override });
    if (isSent) clear(EMPTY);
    return isSent;
  };
  const missing = (verdict: Verdict) => closed ?? missingFor(verdict, draft);
  return { draft, change, outcome, send, missing, field };
}

/** Approves, rejects or requests changes, by button or shortcut. */
export function Decide({ review, lockStatus, settle }: DecideProps) {
  const { draft, change, outcome, send, missing, field } = useVerdict({ review, lockStatus, settle });
  const note = draft.note.trim();
  const who = useWho();
  const [asked, setAsked] = useState<Verdict | null>(null);
  const back = useRef<HTMLAnchorElement>(null);
  const isDone = outcome.kind === 'done';
  const isOver = isDone && outcome.verdict !== 'changes' && outcome.status !== 'in_review';
  const isOpen = review.status === 'in_review' && !isOver;
  const me = useActor();
  const blockers = approvalBlockersOf(review, me);
  const can = { approve: isOpen && blockers.length === 0, changes: isOpen, reject: isOpen };
  const ask = (verdict: Verdict) => () => can[verdict] && setAsked(verdict);
  useKeys(Object.fromEntries(VERDICTS.map(({ key, verdict }) => [key, ask(verdict)])));
  const act = async (verdict: Verdict) => {
    if (!(await send(verdict))) return;
    // Closed first, which moves the focus to the button that opened it if that is still there.
    flushSync(() => setAsked(null));
    back.current?.focus();
  };
  const message = outcomeWords(outcome, who);
  const isRefused = outcome.kind === 'refused';
  const question = VERDICTS.find(({ verdict }) => verdict === asked);
  return (
    <section className="card cluster decide" aria-label="Decide">
      <p role="status" className={isRefused ? 'fault' : 'good'}>
        {message}
      </p>
      {hasApprovedFirst(review, me) ? null : <TwoPersons review={review} />}
      {isOpen && !isDone ? null : <NextVersion from={review} back={back} />}
      {!isOpen && isRefused && note !== '' ? <pre className="plain">{note}</pre> : null}
      {isOpen ? <VerdictButtons can={can} blockers={blockers} ask={ask} /> : null}
      {question === undefined ? null : (
        <ConfirmDialog
          title={question.title(nameOf(review))}
          hint={hintOf(question, review)}
          confirm={confirmOf(question, review)}
          tone={question.tone}
          missing={can[question.verdict] ? missing(question.verdict) : 'This version cannot be decided now.'}
          busy={outcome.kind === 'busy'}
          error={isRefused ? new Error(message) : null}
          act={() => void act(question.verdict)}
          leave={() => setAsked(null)}
        >
          <VerdictFields verdict={question.verdict} review={review} draft={draft} change={change} />
          {field}
        </ConfirmDialog>
      )}
    </section>
  );
}
