import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Grants } from './grants.ts';
import type { Revocations, Revoked } from './revocations.ts';

type DisconnectDeps = { grants: Grants; events: Events; revocations: Revocations };

/** Whether the server revoked the grant too, and if not, why not: in words to show. */
export type Disconnected = Revoked;

/**
 * Ends a grant: it leaves its account at once, and its server is asked to revoke it (RFC 7009), now and, when it cannot be
 * reached, later. Works for apps that are off or withdrawn, and for accounts that the app declares no more.
 */
export async function disconnectAccount(
  { grants, events, revocations }: DisconnectDeps,
  app: InstalledApp,
  accountId: string,
): Promise<Disconnected> {
  const { appId } = app;
  const ended = await grants.end(appId, accountId);
  if (!ended) return { revoked: false, reason: 'The account was not connected.' };
  events.emit({ type: 'account-disconnected', appId, accountId });
  if (ended.revocation) return revocations.send(ended.revocation);
  return { revoked: false, reason: 'The authorization server offers no way to revoke what was granted.' };
}
