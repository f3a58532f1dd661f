import { visible } from '../parts/visible.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

/** Who an account of an app belongs to, if its server says so. */
export function ConnectedAs({ appId, accountId }: { appId: string; accountId: string }) {
  const accounts = useDesktopQuery('accounts.list', { appId }).data?.accounts ?? [];
  const holder = accounts.find(({ id, connected }) => id === accountId && connected)?.holder;
  if (holder === undefined) return null;
  return (
    <span className="soft">
      {WORDS.accounts.connectedAs} <bdi>{visible(holder)}</bdi>
    </span>
  );
}
