import type { CannedReasons, Review } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { type ChangeText, describeChanges } from '@svc/permissions';
import { useState } from 'react';
import { useRead } from '../../account/use-store.ts';
import { visible } from '../visible.ts';
import { useWho } from '../who.ts';
import { WORDS } from '../words.ts';
import { comparedOf } from './changes-panel.tsx';
import type { LockStanding } from './use-lock.ts';

const MESSAGES = WORDS.decide;

/** What the moderator has typed about a version, and not sent yet. */
export type Draft = { note: string; reason: string };

type DraftProps = { draft: Draft; change(part: Partial<Draft>): void };

/** The text that goes with a verdict. */
export function NoteField({ label, hint, draft, change }: DraftProps & { label: string; hint?: string }) {
  return (
    <label>
      {label}
      {hint === undefined ? null : <small>{hint}</small>}
      <textarea
        rows={4}
        maxLength={LIMITS.note}
        value={draft.note}
        onChange={(event) => change({ note: event.target.value })}
      />
    </label>
  );
}

/** The canned reasons; the text of the one that is chosen is shown. */
export function ReasonField({ draft, change }: DraftProps) {
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
export function Consequences({ review }: { review: Review }) {
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
export function useOverride(standing: LockStanding) {
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
