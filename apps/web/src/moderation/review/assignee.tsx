import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { ErrorMessage } from '@svc/ui';
import { useId } from 'react';
import { useChange, useRead, useSignedIn } from '../../account/use-store.ts';
import { useKeys } from '../keys.tsx';

/** Shows and changes the moderator that a version in review is assigned to. */
export function Assignee({ review }: { review: Review }) {
  const id = useId();
  const { id: me } = useSignedIn();
  const { data } = useRead(apiRequest('GET /api/moderation/moderators'));
  const from = review.review?.assignedTo ?? null;
  const assign = useChange((to: string | null) =>
    apiRequest('PUT /api/moderation/apps/:appId/versions/:version/assignment', {
      params: { appId: review.appId, version: review.version },
      json: { to, from },
    }),
  );
  const mine = `person:${me}`;
  const take = () => {
    if (from !== mine && !assign.isPending) assign.mutate(mine);
  };
  useKeys({ m: take });
  return (
    <div className="assignee">
      <label htmlFor={id}>Assigned to</label>
      <select
        id={id}
        value={from ?? ''}
        disabled={assign.isPending}
        onChange={({ target }) => assign.mutate(target.value === '' ? null : target.value)}
      >
        <option value="">No moderator</option>
        {data?.moderators.map(({ by, name }) => (
          <option key={by} value={by}>
            {by === mine ? 'you' : visible(name)}
          </option>
        ))}
      </select>
      {from === mine ? null : (
        <button type="button" disabled={assign.isPending} onClick={take}>
          Assign to me (m)
        </button>
      )}
      <ErrorMessage error={assign.error} />
    </div>
  );
}
