import type { Review } from '@svc/contracts';
import { type ReactNode, type RefObject, useId, useRef } from 'react';
import { Card } from '../../account/parts.tsx';
import { useDraft } from '../../account/use-draft.ts';
import { useKeys } from '../keys.tsx';
import { Question } from '../question.tsx';
import { visible } from '../visible.ts';
import { useWho } from '../who.ts';
import { WORDS } from '../words.ts';
import { missingApps } from './missing-apps.ts';
import { Onward } from './onward.tsx';
import { type Outcome, useDecision, type Verdict } from './use-decision.ts';
import type { LockStanding } from './use-lock.ts';
import { Consequences, type Draft, NoteField, ReasonField, useOverride } from './verdict-fields.tsx';

const MESSAGES = WORDS.decide;

const EMPTY: Draft = { note: '', reason: '' };

/** The verdicts in the order of their buttons, each with its key. */
const VERDICTS = [
  {
    verdict: 'approve',
    key: 'a',
    tone: 'main',
    label: MESSAGES.approve,
    title: MESSAGES.approveTitle,
    hint: MESSAGES.approveHint,
    confirm: MESSAGES.confirmApprove,
  },
  {
    verdict: 'changes',
    key: 'c',
    tone: 'main',
    label: MESSAGES.changes,
    title: MESSAGES.changesTitle,
    hint: MESSAGES.changesHint,
    confirm: MESSAGES.confirmChanges,
  },
  {
    verdict: 'reject',
    key: 'x',
    tone: 'bad',
    label: MESSAGES.reject,
    title: MESSAGES.rejectTitle,
    hint: MESSAGES.rejectHint,
    confirm: MESSAGES.confirmReject,
  },
] as const;

/** The look of a button where all three stand beside each other: one of them is the main one. */
const BUTTON = { approve: 'main', changes: '', reject: 'bad' } satisfies Record<Verdict, string>;

const nameOf = ({ manifest, version }: Review): string => `${visible(manifest.name)} ${visible(version)}`;

const DONE = {
  approve: MESSAGES.approved,
  changes: () => MESSAGES.changesRequested,
  reject: () => MESSAGES.rejected,
} satisfies Record<Verdict, (status: string) => string>;

function outcomeWords(outcome: Outcome, who: (by: string) => string): string {
  if (outcome.kind === 'done') return DONE[outcome.verdict](outcome.status);
  if (outcome.kind !== 'refused') return '';
  const { standing } = outcome;
  if (standing.kind === 'handled') return MESSAGES.tooLate(standing.status);
  if (standing.kind === 'others') return MESSAGES.lockedOut(who(standing.lock.by));
  return standing.kind === 'failed' ? standing.message : '';
}

/** Why the version cannot be approved yet; empty when it can. */
const obstaclesTo = (review: Review): string[] => [
  ...(review.conflict ? [MESSAGES.conflicts[review.conflict]] : []),
  ...missingApps(review).map(({ message }) => visible(message)),
];

type Dialogs = Record<Verdict, RefObject<HTMLDialogElement | null>>;

function VerdictButtons({
  can,
  obstacles,
  ask,
}: {
  can: Record<Verdict, boolean>;
  obstacles: readonly string[];
  ask(verdict: Verdict): () => void;
}) {
  const whyNot = useId();
  return (
    <>
      {obstacles.length > 0 ? (
        <p id={whyNot} className="fault">
          {MESSAGES.cannotApprove} {obstacles.join(' ')}
        </p>
      ) : null}
      <div className="buttons">
        {VERDICTS.map(({ verdict, label }) => (
          <button
            key={verdict}
            type="button"
            className={BUTTON[verdict]}
            disabled={!can[verdict]}
            {...(verdict === 'approve' && { 'aria-describedby': whyNot })}
            onClick={ask(verdict)}
          >
            {label}
          </button>
        ))}
      </div>
    </>
  );
}

type FieldsProps = { verdict: Verdict; review: Review; draft: Draft; change(part: Partial<Draft>): void };

/** What is asked with a verdict: a note that may be left out, or a reason or a text. */
function VerdictFields({ verdict, review, draft, change }: FieldsProps): ReactNode {
  if (verdict === 'approve') {
    return (
      <>
        <Consequences review={review} />
        <NoteField label={MESSAGES.note} hint={MESSAGES.noteOptional} draft={draft} change={change} />
      </>
    );
  }
  const isEmpty = draft.note.trim() === '' && draft.reason === '';
  return (
    <>
      <ReasonField draft={draft} change={change} />
      <NoteField label={MESSAGES.noteToDeveloper} draft={draft} change={change} />
      {isEmpty ? <p className="soft">{MESSAGES.needsText}</p> : null}
    </>
  );
}

type DecideProps = { review: Review; standing: LockStanding; settle(standing: LockStanding): void };

/** What the moderator types, and its way to the store. */
function useVerdict({ review, standing, settle }: DecideProps) {
  const { draft, change, forget } = useDraft(`desk ${review.appId} ${review.version}`, EMPTY);
  const { outcome, decide } = useDecision(review, settle);
  const { override, isOpen, field } = useOverride(standing);
  const note = draft.note.trim();
  const hasText = note !== '' || draft.reason !== '';
  const send = async (verdict: Verdict): Promise<boolean> => {
    const reason = verdict !== 'approve' && draft.reason !== '' ? { reason: draft.reason } : {};
    const isSent = await decide(verdict, { ...(note !== '' && { note }), ...reason, ...override });
    if (isSent) forget(EMPTY);
    return isSent;
  };
  const isReady = (verdict: Verdict): boolean => isOpen && (verdict === 'approve' || hasText);
  return { draft, change, outcome, note, send, isReady, field };
}

/** Approves, rejects or asks for changes, by button or by key. */
export function Decide({ review, standing, settle }: DecideProps) {
  const { draft, change, outcome, note, send, isReady, field } = useVerdict({ review, standing, settle });
  const who = useWho();
  const dialogs: Dialogs = {
    approve: useRef<HTMLDialogElement>(null),
    changes: useRef<HTMLDialogElement>(null),
    reject: useRef<HTMLDialogElement>(null),
  };
  const back = useRef<HTMLAnchorElement>(null);
  const isDone = outcome.kind === 'done';
  const waits = review.status === 'in_review' && !(isDone && outcome.verdict !== 'changes');
  const obstacles = obstaclesTo(review);
  const can = { approve: waits && obstacles.length === 0, changes: waits, reject: waits };
  const ask = (verdict: Verdict) => () => can[verdict] && dialogs[verdict].current?.showModal();
  useKeys(Object.fromEntries(VERDICTS.map(({ key, verdict }) => [key, ask(verdict)])));
  const act = async (verdict: Verdict) => {
    if (!(await send(verdict))) return;
    dialogs[verdict].current?.close();
    back.current?.focus();
  };
  const said = outcomeWords(outcome, who);
  const isRefused = outcome.kind === 'refused';
  return (
    <Card title={MESSAGES.title} className="decide">
      <p role="status" className={isRefused ? 'fault' : 'good'}>
        {said}
      </p>
      {waits && !isDone ? null : <Onward from={review} isDone={isDone} back={back} />}
      {!waits && isRefused && note !== '' ? <pre className="plain">{note}</pre> : null}
      {waits ? <VerdictButtons can={can} obstacles={obstacles} ask={ask} /> : null}
      {VERDICTS.map(({ verdict, title, hint, confirm, tone }) => (
        <Question
          key={verdict}
          dialog={dialogs[verdict]}
          title={title(nameOf(review))}
          hint={hint}
          confirm={confirm}
          tone={tone}
          canConfirm={can[verdict] && isReady(verdict)}
          busy={outcome.kind === 'busy'}
          fault={isRefused ? said : ''}
          act={() => void act(verdict)}
        >
          <VerdictFields verdict={verdict} review={review} draft={draft} change={change} />
          {field}
        </Question>
      ))}
    </Card>
  );
}
