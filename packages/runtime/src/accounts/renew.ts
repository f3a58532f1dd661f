import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Account } from '@svc/contracts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import { withLock } from '../platform/process-lock.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';
import type { System } from '../platform/system.ts';
import { type Grant, isFresh, isValid } from './grant.ts';
import type { Grants } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { type Guard, requestsFor } from './requests.ts';
import { renewTokens } from './token-endpoint.ts';
import type { Tokens } from './token-response.ts';

export type RenewDeps = {
  /** Folder of the runtime, for the locks between processes. */
  folder: string;
  grants: Grants;
  system: System;
  events: Events;
  guard: Guard;
  /** Told that the server does not know a client any more. */
  clientGone(grant: Grant): void;
  /** What apps may reach on this machine; folders of developers alone, when left out. */
  loopbackOf?: LoopbackOf | undefined;
};

/** Whose token is renewed. */
export type Owner = { app: InstalledApp; account: Account };

/** What a server says that does not know the client any more (RFC 6749 section 5.2). */
const CLIENT_GONE = 'invalid_client';

/** How long a server that failed is left alone while the old token is good. */
const BACKOFF_MS = 10_000;

const lockOf = (folder: string, { app, account }: Owner): string => {
  const name = createHash('sha256')
    .update(JSON.stringify([app.appId, account.id]))
    .digest('hex');
  return join(folder, 'locks', `account-${name}`);
};

/** The grant with new tokens. A server that gives no new refresh token lets the old one be used again (section 6). */
const renewed = (grant: Grant, tokens: Tokens, now: number): Grant => ({
  ...grant,
  accessToken: tokens.accessToken,
  refreshToken: tokens.refreshToken ?? grant.refreshToken,
  issuedAt: now,
  expiresAt: tokens.lifetimeMs === null ? null : now + tokens.lifetimeMs,
  granted: tokens.scopes ?? grant.granted,
});

/** Removes a grant that its server refuses, unless the user has connected again meanwhile. */
async function drop(deps: RenewDeps, owner: Owner, grant: Grant, reason: string): Promise<Grant | null> {
  const { app, account } = owner;
  const isClientGone = reason === CLIENT_GONE;
  const after = await deps.grants.drop(app.appId, account.id, grant, isClientGone);
  if (isClientGone) deps.clientGone(grant);
  if (!after) deps.events.emit({ type: 'account-dropped', appId: app.appId, accountId: account.id, reason });
  return after;
}

/**
 * Fetches new tokens, and keeps them before anybody gets to see them. Should this process die after the server made them and
 * before they are kept, they are lost: a server that takes each refresh token once then answers `invalid_grant` to the old one,
 * and the user connects again.
 * @returns the grant as it is afterwards; null when there is none any more
 * @throws OAuthError when the server gave no tokens, but did not refuse the grant either
 */
async function fetchTokens(
  deps: RenewDeps,
  owner: Owner,
  grant: Grant,
  refreshToken: string,
): Promise<Grant | null> {
  const { app, account } = owner;
  const result = await renewTokens(grant, refreshToken, requestsFor(deps, app));
  switch (result.outcome) {
    case 'tokens': {
      const next = renewed(grant, result.tokens, deps.system.now());
      return deps.grants.replace(app.appId, account.id, grant, next);
    }
    case 'refused':
      return drop(deps, owner, grant, result.fault.oauthError ?? 'refused');
    case 'outage':
      throw result.fault;
  }
}

/** Renews a grant while no other process does, unless another has. */
function renewAlone(deps: RenewDeps, owner: Owner, seen: Grant): Promise<Grant | null> {
  const { app, account } = owner;
  return withLock(deps.system, lockOf(deps.folder, owner), async () => {
    const grant = await deps.grants.find(app.appId, account.id);
    if (!grant || grant.accessToken !== seen.accessToken || grant.binding !== seen.binding) return grant;
    if (grant.refreshToken === null) return drop(deps, owner, grant, 'expired');
    return fetchTokens(deps, owner, grant, grant.refreshToken);
  });
}

/** Renewals: one at a time for each account, for all callers in all processes. */
export type Renewals = {
  /** The grant, renewed when it is about to end. Rejects with token-unavailable. */
  fresh(owner: Owner, grant: Grant): Promise<Grant | null>;
  /** The grant after the app's server refused its token. Rejects with token-unavailable. */
  after401(owner: Owner, grant: Grant): Promise<Grant | null>;
};

export function createRenewals(deps: RenewDeps): Renewals {
  const join = createSingleFlight<Grant | null>();
  const failedAt = new Map<string, number>();

  /** Those of this process wait for one of them, instead of each for the lock. */
  const renew = (owner: Owner, grant: Grant): Promise<Grant | null> => {
    const key = lockOf('', owner);
    const renewal = async () => {
      try {
        const after = await renewAlone(deps, owner, grant);
        failedAt.delete(key);
        return after;
      } catch (error) {
        failedAt.set(key, deps.system.now());
        throw error;
      }
    };
    return join(key, renewal);
  };

  const isBackingOff = (owner: Owner): boolean => {
    const at = failedAt.get(lockOf('', owner));
    const now = deps.system.now();
    return at !== undefined && now >= at && now < at + BACKOFF_MS;
  };

  const unavailable = (error: unknown): unknown =>
    error instanceof OAuthError ? new RuntimeError('token-unavailable', error.message) : error;

  return {
    async fresh(owner, grant) {
      const { system } = deps;
      if (isFresh(grant, system.now())) return grant;
      // Without a refresh token the old one is all there is, for as long as it lasts.
      if (isValid(grant, system.now()) && (grant.refreshToken === null || isBackingOff(owner))) return grant;
      try {
        return await renew(owner, grant);
      } catch (error) {
        if (error instanceof OAuthError && isValid(grant, system.now())) return grant;
        throw unavailable(error);
      }
    },
    after401: (owner, grant) =>
      renew(owner, grant).catch((error: unknown) => {
        throw unavailable(error);
      }),
  };
}
