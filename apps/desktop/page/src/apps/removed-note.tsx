import type { Removed } from '@svc/runtime';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.apps;

/** Says that an app was removed, and for which accounts the server did not revoke access. */
export function RemovedNote({ name, removed: { accounts } }: { name: string; removed: Removed }) {
  return (
    <div role="status">
      <p>{MESSAGES.removed(visible(name))}</p>
      {accounts
        .filter(({ revoked }) => !revoked)
        .map(({ id, reason = '' }) => (
          <p key={id} className="mild">
            {MESSAGES.accountOf(visible(id))} {WORDS.accounts.notRevoked(visible(reason))}
          </p>
        ))}
    </div>
  );
}
