import type { Removed } from '@svc/runtime';
import { visible } from '@svc/text';

export const notRevoked = (reason: string): string =>
  `Disconnected on this computer. The server did not revoke access: ${reason}`;

/** Says that an app was removed, and for which accounts the server did not revoke access. */
export function RemovedNote({ name, removed: { accounts } }: { name: string; removed: Removed }) {
  return (
    <div role="status">
      <p>{`${visible(name)} was removed.`}</p>
      {accounts
        .filter(({ revoked }) => !revoked)
        .map(({ id, reason = '' }) => (
          <p key={id} className="mild">
            {`Account ${visible(id)}:`} {notRevoked(visible(reason))}
          </p>
        ))}
    </div>
  );
}
