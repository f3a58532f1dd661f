import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { read } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';
import { useKeys } from '../keys.tsx';
import { pathOf } from '../version-path.ts';

type NextVersionProps = {
  /** The version that is open. */
  from: { appId: string; version: string };
  /** Whether the version was decided on this page. */
  isDone: boolean;
  back: RefObject<HTMLAnchorElement | null>;
};

/** Links to the next version that no other moderator has locked or is assigned to, and back to the queue. */
export function NextVersion({ from, isDone, back }: NextVersionProps) {
  const { data } = useQuery({
    queryKey: ['next'],
    queryFn: () =>
      read(
        apiRequest('GET /api/moderation/queue', {
          query: { lockedBy: 'nobody', changesRequested: false, limit: 20 },
        }),
      ),
    enabled: isDone,
  });
  const { id } = useSignedIn();
  const next = data?.entries.find(
    ({ appId, version, assignedTo }) =>
      (appId !== from.appId || version !== from.version) &&
      (assignedTo === null || assignedTo === `person:${id}`),
  );
  useKeys(next ? { n: () => window.location.assign(pathOf(next)) } : {});
  return (
    <div className="buttons">
      <a ref={back} className="button" href="/moderation">
        Back to the queue
      </a>
      {next ? (
        <a className="button main" href={pathOf(next)}>
          {`Next (n): ${visible(next.name)} ${visible(next.version)}`}
        </a>
      ) : null}
    </div>
  );
}
