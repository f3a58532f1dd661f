import type { Account } from '@svc/contracts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { type Alone, locksIn } from '../platform/process-lock.ts';
import { asRefusal, isRefusal, RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';
import type { System } from '../platform/system.ts';
import { NO_TRACING, type Tracing } from '../platform/tracing.ts';
import { type Grant, isFresh, isValid } from './grant.ts';
import type { Grants } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { type Guard, requestsFor } from './requests.ts';
import { renewTokens } from './token-endpoint.ts';
import type { Tokens } from './token-response.ts';

export type RenewDeps = {
  /** Folder of the runtime. */
  folder: string;
  /** Keeps other processes from renewing the same account. Default: locks in the folder. */
  alone?: Alone | undefined;
  grants: Grants;
  system: System;
  events: Events;
  guard: Guard;
  /** Called when the server no longer knows the client. */
  clientGone(grant: Grant): void;
  /** What apps may reach on this machine. Default: only apps of developer folders. */
  loopbackOf?: LoopbackOf | undefined;
  /** Default: no spans. */
  tracing?: Pick<Tracing, 'span'> | undefined;
};

/** The app and account whose token is renewed. */
export type Owner = { app: InstalledApp; account: Account };

/** Error code of a server that no longer knows the client (RFC 6749 section 5.2). */
const CLIENT_GONE = 'invalid_client';

/** What the MCP SDK for Python answers in that case; other servers answer it for a refresh token that they do not know. */
const MAYBE_GONE = 'unauthorized_client';

/** How long renewals pause after a failure while the old token is valid, in milliseconds. */
const BACKOFF_MS = 10_000;

const lockOf = ({ app, account }: Owner): string => `account-${hashOfJson([app.appId, account.id])}`;

/** The grant with new tokens. Without a new refresh token the old one stays valid (RFC 6749 section 6). */
const renewed = (grant: Grant, tokens: Tokens, now: number): Grant => ({
  ...grant,
  accessToken: tokens.accessToken,
  refreshToken: tokens.refreshToken ?? grant.refreshToken,
  issuedAt: now,
  expiresAt: tokens.lifetimeMs === null ? null : now + tokens.lifetimeMs,
  granted: tokens.scopes ?? grant.granted,
  ...(tokens.holder !== undefined && { holder: tokens.holder }),
});

/** The reason of a grant that has expired and has no refresh token: its server has not refused it. */
const EXPIRED = 'expired';

/**
 * Deletes a grant that its server refuses, unless the user has connected again in the meantime. The next sign-in registers again: a
 * server that has lost its data also answers `invalid_grant`, and then shows an error page for the client that it has forgotten.
 */
async function drop(deps: RenewDeps, owner: Owner, grant: Grant, reason: string): Promise<Grant | null> {
  const { app, account } = owner;
  const isClientGone = reason === CLIENT_GONE;
  const registration =
    isClientGone || reason === MAYBE_GONE ? 'deleted' : reason === EXPIRED ? 'kept' : 'deleted-unused';
  const after = await deps.grants.drop(app.appId, account.id, grant, registration);
  if (isClientGone) deps.clientGone(grant);
  if (!after) deps.events.emit({ type: 'account-dropped', appId: app.appId, accountId: account.id, reason });
  return after;
}

/**
 * Fetches new tokens, and stores them before they are used. If this process crashes between the response and the write, the tokens
 * are lost: a server with refresh token rotation then answers `invalid_grant`, and the user connects again. So that a full disk does
 * not lose them, nothing is requested while the vault cannot be written.
 * @returns the stored grant; null when it was deleted
 * @throws OAuthError when the server neither sent tokens nor refused the grant
 */
async function fetchTokens(
  deps: RenewDeps,
  owner: Owner,
  grant: Grant,
  refreshToken: string,
): Promise<Grant | null> {
  const { app, account } = owner;
  await deps.grants.requireWritable();
  const { span } = deps.tracing ?? NO_TRACING;
  const facts = { 'svc.app.id': app.appId, 'svc.account.id': account.id };
  const result = await span('svc refresh', facts, () =>
    renewTokens(grant, refreshToken, requestsFor(deps, app)),
  );
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

/** Renews a grant under the lock of its account, unless another process has renewed it. */
function renewAlone(deps: RenewDeps, owner: Owner, seen: Grant): Promise<Grant | null> {
  const { app, account } = owner;
  const { alone = locksIn(deps.folder, deps.system) } = deps;
  return alone(lockOf(owner), async () => {
    const grant = await deps.grants.find(app.appId, account.id);
    if (!grant || grant.accessToken !== seen.accessToken || grant.binding !== seen.binding) return grant;
    if (grant.refreshToken === null) return drop(deps, owner, grant, EXPIRED);
    return fetchTokens(deps, owner, grant, grant.refreshToken);
  });
}

/** Renews grants, one at a time per account across all processes. */
export function createRenewals(deps: RenewDeps) {
  const join = createSingleFlight<Grant | null>();
  const failedAt = new Map<string, number>();

  /** Callers of this process share one renewal instead of waiting for the lock each. */
  const renew = (owner: Owner, grant: Grant): Promise<Grant | null> => {
    const key = lockOf(owner);
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
    const at = failedAt.get(lockOf(owner));
    const now = deps.system.now();
    return at !== undefined && now >= at && now < at + BACKOFF_MS;
  };

  const unavailable = (error: unknown): unknown =>
    error instanceof OAuthError
      ? new RuntimeError('token-unavailable', error.message)
      : (asRefusal(error) ?? error);

  return {
    /** The grant, renewed when it is about to expire. Rejects with token-unavailable. */
    async fresh(owner: Owner, grant: Grant): Promise<Grant | null> {
      const { system } = deps;
      if (isFresh(grant, system.now())) return grant;
      // Without a refresh token the access token is used until it expires.
      if (isValid(grant, system.now()) && (grant.refreshToken === null || isBackingOff(owner))) return grant;
      try {
        return await renew(owner, grant);
      } catch (error) {
        const mayUseOld = error instanceof OAuthError || isRefusal(asRefusal(error), 'disk-unavailable');
        if (mayUseOld && isValid(grant, system.now())) return grant;
        throw unavailable(error);
      }
    },
    /** The grant, renewed because the app's server refused its token. Rejects with token-unavailable. */
    after401: (owner: Owner, grant: Grant): Promise<Grant | null> =>
      renew(owner, grant).catch((error: unknown) => {
        throw unavailable(error);
      }),
  };
}
