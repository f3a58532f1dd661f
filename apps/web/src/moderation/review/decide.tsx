import type { CannedReasons, ModerationQueue, Review } from '@svc/contracts';
import { type ChangeText, describeChanges } from '@svc/permissions';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useId, useRef, useState } from 'react';
import { read } from '../../account/api.ts';
import { Card } from '../../account/parts.tsx';
import { useDraft } from '../../account/use-draft.ts';
import { useRead } from '../../account/use-store.ts';
import { useKeys } from '../keys.tsx';
import { Question } from '../question.tsx';
import { pathOf } from '../version-path.ts';
import { visible } from '../visible.ts';
import { useWho } from '../who.ts';
import { WORDS } from '../words.ts';
import { comparedOf } from './changes-panel.tsx';
import { missingApps } from './missing-apps.ts';
import { type Outcome, useDecision, type Verdict } from './use-decision.ts';
import type { LockStanding } from './use-lock.ts';

const MESSAGES = WORDS.decide;
const MAX_NOTE = 2_000;

/** What the moderator has typed about a version, and not sent yet. */
type Draft = { note: string; reason: string };

const EMPTY: Draft = { note: '', reason: '' };

const nameOf = ({ manifest, version }: Review): string => `${visible(manifest.name)} ${visible(version)}`;

function outcomeWords(outcome: Outcome, who: (by: string) => string): string {
  if (outcome.kind === 'done') {
    return outcome.verdict === 'approve' ? MESSAGES.approved(outcome.status) : MESSAGES.rejected;
  }
  if (outcome.kind !== 'refused') return '';
  const { standing } = outcome;
  if (standing.kind === 'handled') return MESSAGES.tooLate(standing.status);
  if (standing.kind === 'others') return MESSAGES.lockedOut(who(standing.lock.by));
  return standing.kind === 'failed' ? standing.message : '';
}

function NoteField({
  label,
  hint,
  draft,
  change,
}: {
  label: string;
  hint?: string;
  draft: Draft;
  change(part: Partial<Draft>): void;
}) {
  return (
    <label>
      {label}
      {hint === undefined ? null : <small>{hint}</small>}
      <textarea
        rows={4}
        maxLength={MAX_NOTE}
        value={draft.note}
        onChange={(event) => change({ note: event.target.value })}
      />
    </label>
  );
}

function ReasonField({ draft, change }: { draft: Draft; change(part: Partial<Draft>): void }) {
  const { data } = useRead<CannedReasons>('/api/moderation/reasons');
  const chosen = data?.reasons.find(({ id }) => id === draft.reason);
  return (
    <label>
      {MESSAGES.reason}
      <select value={chosen?.id ?? ''} onChange={(event) => change({ reason: event.target.value })}>
        <option value="">{MESSAGES.noReason}</option>
        {data?.reasons.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      {chosen ? <small>{chosen.text}</small> : null}
    </label>
  );
}

const Consequence = ({ text: { label, subject } }: { text: ChangeText }) => (
  <li>
    {label} {subject === '' ? null : <code>{visible(subject)}</code>}
  </li>
);

/** What users are asked about once more, said again where it is decided. */
function Consequences({ review }: { review: Review }) {
  const { diff, version } = comparedOf(review);
  const { widens, face } = describeChanges(diff.changes);
  if (version === null || widens.length + face.length === 0) return null;
  return (
    <>
      <p>{MESSAGES.approveAsks}</p>
      <ul className="consequences">
        {[...widens, ...face].map((text) => (
          <Consequence key={text.path} text={text} />
        ))}
      </ul>
    </>
  );
}

/** The lock of another, and whether the decision passes it over. */
function useOverride(standing: LockStanding) {
  const [isChosen, choose] = useState(false);
  const who = useWho();
  if (standing.kind !== 'others') return { override: {}, isOpen: standing.kind !== 'taking', field: null };
  const field = (
    <label className="choice">
      <input type="checkbox" checked={isChosen} onChange={(event) => choose(event.target.checked)} />
      {MESSAGES.override(who(standing.lock.by))}
    </label>
  );
  return { override: isChosen ? { override: true } : {}, isOpen: isChosen, field };
}

/** Where to go once nothing is left to decide: to the next version that no moderator looks at, or back to the queue. */
function Onward({ isDecided, back }: { isDecided: boolean; back: RefObject<HTMLAnchorElement | null> }) {
  const { data } = useQuery({
    queryKey: ['next'],
    queryFn: () => read<ModerationQueue>('/api/moderation/queue?lockedBy=nobody&limit=1'),
    enabled: isDecided,
  });
  const next = data?.entries[0];
  useKeys(next ? { n: () => window.location.assign(pathOf(next)) } : {});
  return (
    <div className="buttons">
      <a ref={back} className="button" href="/moderation">
        {WORDS.toQueue}
      </a>
      {next ? (
        <a className="button main" href={pathOf(next)}>
          {MESSAGES.next(`${visible(next.name)} ${visible(next.version)}`)}
        </a>
      ) : null}
    </div>
  );
}

type DecideProps = { review: Review; standing: LockStanding; settle(standing: LockStanding): void };

/** Approves or rejects the version, by button or by key. */
export function Decide({ review, standing, settle }: DecideProps) {
  const { draft, change, forget } = useDraft(`desk ${review.appId} ${review.version}`, EMPTY);
  const { outcome, decide } = useDecision(review, settle);
  const { override, isOpen, field } = useOverride(standing);
  const who = useWho();
  const dialogs = { approve: useRef<HTMLDialogElement>(null), reject: useRef<HTMLDialogElement>(null) };
  const back = useRef<HTMLAnchorElement>(null);
  const whyNot = useId();
  const waits = review.status === 'in_review' && outcome.kind !== 'done';
  const missing = missingApps(review);
  const can: Record<Verdict, boolean> = { approve: waits && missing.length === 0, reject: waits };
  const ask = (verdict: Verdict) => () => can[verdict] && dialogs[verdict].current?.showModal();
  useKeys({ a: ask('approve'), x: ask('reject') });
  const note = draft.note.trim();
  const send = async (verdict: Verdict) => {
    const reason = verdict === 'reject' && draft.reason !== '' ? { reason: draft.reason } : {};
    const json = { ...(note !== '' && { note }), ...reason, ...override };
    if (!(await decide(verdict, json))) return;
    forget(EMPTY);
    dialogs[verdict].current?.close();
    back.current?.focus();
  };
  const said = outcomeWords(outcome, who);
  const isRefused = outcome.kind === 'refused';
  const common = { busy: outcome.kind === 'busy', fault: isRefused ? said : '' };
  const canSay = note !== '' || draft.reason !== '';
  return (
    <Card title={MESSAGES.title} className="decide">
      <p role="status" className={isRefused ? 'fault' : 'good'}>
        {said}
      </p>
      {waits ? null : <Onward isDecided={outcome.kind === 'done'} back={back} />}
      {!waits && isRefused && note !== '' ? <pre className="plain">{note}</pre> : null}
      {missing.length > 0 ? (
        <p id={whyNot} className="fault">
          {MESSAGES.cannotApprove} {missing.map(({ message }) => visible(message)).join(' ')}
        </p>
      ) : null}
      {waits ? (
        <div className="buttons">
          <button
            type="button"
            className="main"
            disabled={!can.approve}
            aria-describedby={whyNot}
            onClick={ask('approve')}
          >
            {MESSAGES.approve}
          </button>
          <button type="button" className="bad" onClick={ask('reject')}>
            {MESSAGES.reject}
          </button>
        </div>
      ) : null}
      <Question
        {...common}
        dialog={dialogs.approve}
        title={MESSAGES.approveTitle(nameOf(review))}
        hint={MESSAGES.approveHint}
        confirm={MESSAGES.confirmApprove}
        tone="main"
        canConfirm={can.approve && isOpen}
        act={() => void send('approve')}
      >
        <Consequences review={review} />
        <NoteField label={MESSAGES.note} hint={MESSAGES.noteOptional} draft={draft} change={change} />
        {field}
      </Question>
      <Question
        {...common}
        dialog={dialogs.reject}
        title={MESSAGES.rejectTitle(nameOf(review))}
        hint={MESSAGES.rejectHint}
        confirm={MESSAGES.confirmReject}
        tone="bad"
        canConfirm={waits && isOpen && canSay}
        act={() => void send('reject')}
      >
        <ReasonField draft={draft} change={change} />
        <NoteField label={MESSAGES.noteToDeveloper} draft={draft} change={change} />
        {canSay ? null : <p className="soft">{MESSAGES.needsText}</p>}
        {field}
      </Question>
    </Card>
  );
}
