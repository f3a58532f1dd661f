import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Grants } from './grants.ts';
import type { Revocations, Revoked } from './revocations.ts';

/** Whether the server revoked the grant; if not, `reason` is text to show. */
export type Disconnected = Revoked;

/**
 * Deletes a grant and revokes it at its server (RFC 7009); an unreachable server is retried later. Works for apps that are off or
 * yanked, and for accounts that the app no longer declares.
 */
export async function disconnectAccount(
  { grants, events, revocations }: { grants: Grants; events: Events; revocations: Revocations },
  app: InstalledApp,
  accountId: string,
): Promise<Disconnected> {
  const { appId } = app;
  const ended = await grants.end(appId, accountId);
  if (!ended) return { revoked: false, reason: 'The account was not connected.' };
  events.emit({ type: 'account-disconnected', appId, accountId });
  if (ended.revocation) return revocations.send(ended.revocation);
  return { revoked: false, reason: 'The authorization server does not support revocation.' };
}
