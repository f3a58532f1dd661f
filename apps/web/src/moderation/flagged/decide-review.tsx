import type { ModeratedReview } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useState } from 'react';
import { useDraft } from '../../account/use-draft.ts';
import { useChange } from '../../account/use-store.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';

export type Verdict = 'hide' | 'keep';

const EMPTY = { note: '' };

function NoteField({
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

/**
 * Hides or keeps a review, after a confirmation.
 * @param asked the verdict whose confirmation is open
 * @param decided called once the store has recorded the verdict
 */
export function DecideReview({
  review,
  asked,
  ask,
  decided,
}: {
  review: ModeratedReview;
  asked: Verdict | null;
  ask(verdict: Verdict | null): void;
  decided(verdict: Verdict): void;
}) {
  const { draft, change, clear } = useDraft(`desk review ${review.id}`, EMPTY);
  const [sent, setSent] = useState<Verdict>();
  const decide = useChange(({ verdict, json }: { verdict: Verdict; json: { note?: string } }) =>
    apiRequest(`POST /api/moderation/reviews/:id/${verdict}`, { params: { id: review.id }, json }),
  );
  const note = draft.note.trim();
  const send = (verdict: Verdict) => () => {
    setSent(verdict);
    // `mutateAsync` and not the callbacks of `mutate`: the decided review leaves the list, and unmounting drops those.
    const settle = () => {
      clear(EMPTY);
      ask(null);
      decided(verdict);
    };
    decide.mutateAsync({ verdict, json: note === '' ? {} : { note } }).then(settle, () => {});
  };
  const common = (verdict: Verdict) => ({
    busy: decide.isPending,
    error: sent === verdict ? decide.error : null,
    act: send(verdict),
    leave: () => ask(null),
  });
  const field = { value: draft.note, change: (text: string) => change({ note: text }) };
  return (
    <>
      <div className="buttons">
        <button type="button" className="bad" onClick={() => ask('hide')}>
          {review.hidden ? 'Keep hidden (x)' : 'Hide (x)'}
        </button>
        <button type="button" onClick={() => ask('keep')}>
          {review.hidden ? 'Show again (a)' : 'Keep (a)'}
        </button>
      </div>
      {asked === 'hide' ? (
        <ConfirmDialog
          {...common('hide')}
          title="Hide this review?"
          hint="Only its author still sees it, and its stars no longer count. The author receives the note."
          confirm="Hide"
          tone="bad"
          canConfirm={note !== ''}
        >
          <NoteField label="Why it is hidden" {...field} />
        </ConfirmDialog>
      ) : null}
      {asked === 'keep' ? (
        <ConfirmDialog
          {...common('keep')}
          title="Keep this review?"
          hint="All visitors can read it, and its stars count. This closes all reports of it."
          confirm="Keep"
          tone="main"
          canConfirm
        >
          <NoteField label="Note" hint="Optional. Kept in the audit log." {...field} />
        </ConfirmDialog>
      ) : null}
    </>
  );
}
