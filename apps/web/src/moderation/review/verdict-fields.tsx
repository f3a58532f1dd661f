import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { type ChangeText, describeChanges } from '@svc/permissions';
import { visible } from '@svc/text';
import { Check, Options, TextArea } from '@svc/ui';
import { useState } from 'react';
import { useRead } from '../../account/use-store.ts';
import { useWho } from '../who.ts';
import { NOTE_TO_PUBLISHER } from '../words.ts';
import { comparisonOf } from './changes-panel.tsx';
import type { Verdict } from './use-decision.ts';
import type { LockStatus } from './use-lock.ts';

/** The unsent text of a verdict. */
export type Draft = { note: string; reason: string };

export const EMPTY: Draft = { note: '', reason: '' };

/** The draft of a verdict that is gone with its page. */
export function useVerdictDraft() {
  const [draft, setDraft] = useState(EMPTY);
  return {
    draft,
    change: (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part })),
    clear: () => setDraft(EMPTY),
  };
}

/** What goes with a verdict: the note and the reason, where they are given. */
export type Given = { note?: string; reason?: string };

/** An approval has no reason: one that was chosen before stays in the draft. */
export const givenFor = (verdict: Verdict, { note, reason }: Draft): Given => ({
  ...(note.trim() !== '' && { note: note.trim() }),
  ...(verdict !== 'approve' && reason !== '' && { reason }),
});

/** What is missing in a verdict; null for an approval, which needs no text. */
export const missingFor = (verdict: Verdict, { note, reason }: Draft): string | null =>
  verdict !== 'approve' && note.trim() === '' && reason === ''
    ? 'Choose a reason, or say what must change.'
    : null;

type DraftProps = { draft: Draft; change(part: Partial<Draft>): void };

type NoteProps = { label: string; hint?: string; value: string; change(note: string): void };

/** The text that goes with a verdict. */
export const NoteField = ({ change, ...field }: NoteProps) => (
  <TextArea {...field} rows={4} maxLength={LIMITS.note} onChange={({ target }) => change(target.value)} />
);

/** The canned reasons, with the text of the chosen one. */
function ReasonField({ draft, change }: DraftProps) {
  const { data } = useRead(apiRequest('GET /api/moderation/reasons'));
  const chosen = data?.reasons.find(({ id }) => id === draft.reason);
  return (
    <label>
      Reason
      <select value={chosen?.id ?? ''} onChange={(event) => change({ reason: event.target.value })}>
        <option value="">Other: see the note</option>
        <Options of={data?.reasons.map(({ id, title }) => [id, title]) ?? []} />
      </select>
      {chosen ? <small>{chosen.text}</small> : null}
    </label>
  );
}

/** The fields of a verdict that needs a reason or a text. */
export const ReasonFields = ({ draft, change }: DraftProps) => (
  <>
    <ReasonField draft={draft} change={change} />
    <NoteField label={NOTE_TO_PUBLISHER} value={draft.note} change={(note) => change({ note })} />
  </>
);

const Consequence = ({ text: { label, subject } }: { text: ChangeText }) => (
  <li>
    {label} {subject === '' ? null : <code>{visible(subject)}</code>}
  </li>
);

/** The changes that users must agree to if the version is approved. */
export function Consequences({ review }: { review: Review }) {
  const { diff, version } = comparisonOf(review);
  const { widens, face } = describeChanges(diff.changes);
  if (version === null || widens.length + face.length === 0) return null;
  return (
    <>
      <p>Users who have the app must agree to:</p>
      <ul className="consequences">
        {[...widens, ...face].map((text) => (
          <Consequence key={text.path} text={text} />
        ))}
      </ul>
    </>
  );
}

/** A checkbox to override the lock of another moderator; `closed` says why the version cannot be decided yet. */
export function useOverride(lockStatus: LockStatus) {
  const [isChosen, choose] = useState(false);
  const who = useWho();
  if (lockStatus.kind !== 'others')
    return {
      override: {},
      closed: lockStatus.kind === 'taking' ? 'Taking the lock…' : null,
      field: null,
    };
  const field = (
    <Check
      label={`Override the lock of ${who(lockStatus.lock.by)}; the audit log records it`}
      checked={isChosen}
      choose={choose}
    />
  );
  return {
    override: isChosen ? { override: true } : {},
    closed: isChosen ? null : 'Another moderator holds the lock: override it first.',
    field,
  };
}
