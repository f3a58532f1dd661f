import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import type { Ambient } from '../platform/ambient.ts';
import type { Grant } from './grant.ts';
import type { Grants } from './grants.ts';
import { type Guard, requestsFor } from './requests.ts';
import { SignInFault } from './sign-in-fault.ts';
import { revokeTokens } from './token-endpoint.ts';

type DisconnectDeps = {
  grants: Grants;
  ambient: Ambient;
  events: Events;
  guard: Guard;
  /** What apps may reach on this machine; folders of developers alone, when left out. */
  loopbackOf?: LoopbackOf | undefined;
};

/** Whether the server took the grant back too, and if not, why not: in words to show. */
export type Disconnected = { revoked: boolean; reason?: string };

async function revoke(deps: DisconnectDeps, app: InstalledApp, grant: Grant): Promise<Disconnected> {
  if (grant.server.revocationEndpoint === null) {
    return { revoked: false, reason: 'The sign-in server offers no way to revoke what was granted.' };
  }
  try {
    await revokeTokens(grant, requestsFor(deps, app));
    return { revoked: true };
  } catch (error) {
    if (error instanceof SignInFault) return { revoked: false, reason: error.message };
    throw error;
  }
}

/**
 * Forgets what was granted, then has the server take it back (RFC 7009). What is forgotten stays so when the server cannot be
 * reached. Works for apps that are off or withdrawn, and for accounts that the app declares no more.
 */
export async function disconnectAccount(
  deps: DisconnectDeps,
  app: InstalledApp,
  accountId: string,
): Promise<Disconnected> {
  const { appId } = app;
  const grant = await deps.grants.take(appId, accountId);
  if (!grant) return { revoked: false, reason: 'The account was not connected.' };
  deps.events.tell({ type: 'account-disconnected', appId, accountId });
  return revoke(deps, app, grant);
}
