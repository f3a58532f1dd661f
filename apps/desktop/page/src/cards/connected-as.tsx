import { visible } from '@svc/text';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/** Who an account of an app belongs to, if its server says so. */
export function ConnectedAs({ appId, accountId }: { appId: string; accountId: string }) {
  const accounts = useDesktopQuery('accounts.list', { appId }).data?.accounts ?? [];
  const holder = accounts.find(({ id, connected }) => id === accountId && connected)?.holder;
  if (holder === undefined) return null;
  return (
    <span className="soft">
      Connected as <bdi>{visible(holder)}</bdi>
    </span>
  );
}
