import type { Moderators, Review } from '@svc/contracts';
import { ErrorMessage } from '@svc/ui';
import { useId } from 'react';
import { useChange, useRead, useSignedIn } from '../../account/use-store.ts';
import { useKeys } from '../keys.tsx';
import { visible } from '../visible.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.assign;

/** Shows and changes the moderator that a version in review is assigned to. */
export function Assignee({ review }: { review: Review }) {
  const id = useId();
  const { id: me } = useSignedIn();
  const { data } = useRead<Moderators>('/api/moderation/moderators');
  const from = review.review?.assignedTo ?? null;
  const path = `/api/moderation/apps/${encodeURIComponent(review.appId)}/versions/${encodeURIComponent(review.version)}/assignment`;
  const assign = useChange<unknown, string | null>((to) => ({ method: 'PUT', path, json: { to, from } }));
  const mine = `person:${me}`;
  const take = () => {
    if (from !== mine && !assign.isPending) assign.mutate(mine);
  };
  useKeys({ m: take });
  return (
    <div className="assignee">
      <label htmlFor={id}>{MESSAGES.label}</label>
      <select
        id={id}
        value={from ?? ''}
        disabled={assign.isPending}
        onChange={({ target }) => assign.mutate(target.value === '' ? null : target.value)}
      >
        <option value="">{MESSAGES.none}</option>
        {data?.moderators.map(({ by, name }) => (
          <option key={by} value={by}>
            {by === mine ? WORDS.you : visible(name)}
          </option>
        ))}
      </select>
      {from === mine ? null : (
        <button type="button" disabled={assign.isPending} onClick={take}>
          {MESSAGES.toMe}
        </button>
      )}
      <ErrorMessage error={assign.error} />
    </div>
  );
}
