import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { type ChangeText, describeChanges } from '@svc/permissions';
import { visible } from '@svc/text';
import { Options } from '@svc/ui';
import { useState } from 'react';
import { useRead } from '../../account/use-store.ts';
import { useWho } from '../who.ts';
import { comparisonOf } from './changes-panel.tsx';
import type { LockStatus } from './use-lock.ts';

/** The unsent text of a verdict. */
export type Draft = { note: string; reason: string };

type DraftProps = { draft: Draft; change(part: Partial<Draft>): void };

/** The text that goes with a verdict. */
export function NoteField({
  label,
  hint,
  value,
  change,
}: {
  label: string;
  hint?: string;
  value: string;
  change(note: string): void;
}) {
  return (
    <label>
      {label}
      {hint === undefined ? null : <small>{hint}</small>}
      <textarea
        rows={4}
        maxLength={LIMITS.note}
        value={value}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  );
}

/** The canned reasons, with the text of the chosen one. */
export function ReasonField({ draft, change }: DraftProps) {
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

/** A checkbox to override the lock of another moderator. */
export function useOverride(lockStatus: LockStatus) {
  const [isChosen, choose] = useState(false);
  const who = useWho();
  if (lockStatus.kind !== 'others')
    return { override: {}, isOpen: lockStatus.kind !== 'taking', field: null };
  const field = (
    <label className="choice">
      <input type="checkbox" checked={isChosen} onChange={(event) => choose(event.target.checked)} />
      {`Override the lock of ${who(lockStatus.lock.by)}; the audit log records it`}
    </label>
  );
  return { override: isChosen ? { override: true } : {}, isOpen: isChosen, field };
}
