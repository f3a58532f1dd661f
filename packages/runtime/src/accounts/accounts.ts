import type { Account } from '@svc/contracts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeRefusal } from '../platform/refusal.ts';
import { createSingleFlight } from '../platform/single-flight.ts';
import { openVault } from '../vault/vault.ts';
import type { VaultKey } from '../vault/vault-key.ts';
import { accountOf, bindingOf, requireRunning } from './account-of.ts';
import { openActivity, type TokenUse } from './activity.ts';
import { type ConnectDeps, type ConnectOptions, connectAccount } from './connect.ts';
import { type Disconnected, disconnectAccount } from './disconnect.ts';
import { type Challenge, readChallenge } from './discovery/challenge.ts';
import { type Grant, isValid } from './grant.ts';
import { grantsIn } from './grants.ts';
import { createRenewals } from './renew.ts';
import type { Guard } from './requests.ts';

/** How one account of an app stands. No token is in it. */
export type AccountStatus = {
  id: string;
  label: string;
  required: boolean;
  connected: boolean;
  /** ISO 8601, when the token at hand ends; it is renewed before if it can be. Null: not known, or not connected. */
  expiresAt: string | null;
  /** What was granted, or asked for where the server does not say. */
  scopes: readonly string[];
  /** Host of the sign-in server, when it is known. */
  host: string | null;
};

/** The accounts of apps: sign-ins, and the access tokens that come of them. Refresh tokens never leave it. */
export type Accounts = {
  /** The accounts that an app declares. */
  list(app: InstalledApp): Promise<AccountStatus[]>;
  /**
   * Has the person sign in. Of calls for the same account at once one opens the browser, and all wait for it.
   * @throws RuntimeRefusal connect-failed, scope-refused, unknown-account, switched-off, withdrawn, vault-locked
   */
  connect(app: InstalledApp, accountId: string, options?: ConnectOptions): Promise<void>;
  /**
   * An access token that is good for a call, and a line in the record of who got it.
   * @returns null when the person has to connect
   * @throws RuntimeRefusal token-unavailable when it ran out and no new one is to be had just now; and as connect
   */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
  /**
   * What to do when the app's server answered 401 to a token. What its challenge (RFC 6750 section 3, RFC 9728 section 5.1) says
   * of where to sign in and for what is kept for the next `connect`, for servers that say it at this moment alone.
   * @returns a token that is newer, to be tried once; null when the person has to connect
   * @throws RuntimeRefusal token-unavailable; and as connect
   */
  refused(
    app: InstalledApp,
    accountId: string,
    token: string,
    challenge: string | null,
  ): Promise<string | null>;
  /** Forgets what was granted, and says whether the server took it back too. */
  disconnect(app: InstalledApp, accountId: string): Promise<Disconnected>;
  /** Who got tokens of an account, newest first. */
  activity(appId: string, accountId: string, most?: number): TokenUse[];
  /** Ends sign-ins, and waits for renewals: what a server has made anew is kept. */
  close(): Promise<void>;
};

export type AccountsDeps = Omit<ConnectDeps, 'vault' | 'grants'> & {
  /** Folder of the runtime. */
  folder: string;
  /** Where the key of the vault comes from: the first that can keep one makes a new vault. */
  keys: readonly VaultKey[];
};

function statusOf(account: Account, grant: Grant | null, now: number): AccountStatus {
  const connected = grant !== null && (isValid(grant, now) || grant.refreshToken !== null);
  const server = (connected && (grant.server.issuer ?? grant.server.tokenEndpoint)) || account.tokenUrl;
  const expiresAt = connected ? grant.expiresAt : null;
  return {
    id: account.id,
    label: account.label,
    required: account.required ?? false,
    connected,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    scopes: connected ? (grant.granted ?? grant.asked ?? []) : account.scopes,
    host: (server !== undefined && URL.parse(server)?.host) || null,
  };
}

/** One name for an account of this very app at these very servers. */
const nameOf = (app: InstalledApp, account: Account): string =>
  JSON.stringify([bindingOf(app, account), app.appId, account.id]);

/** Work that has to be brought to its end before what it works with is closed. */
function unfinished() {
  const underWay = new Set<Promise<unknown>>();
  return {
    track<T>(work: Promise<T>): Promise<T> {
      underWay.add(work);
      const over = () => underWay.delete(work);
      work.then(over, over);
      return work;
    },
    end: () => Promise.allSettled(underWay),
  };
}

/** One guarded fetch for each host, so that its connections are used again. */
function remembered(make: Guard) {
  const made = new Map<string, ReturnType<Guard>>();
  const guard: Guard = (reach) => {
    const key = JSON.stringify(reach);
    const present = made.get(key) ?? make(reach);
    made.set(key, present);
    return present;
  };
  return { guard, close: () => Promise.all(Array.from(made.values(), (one) => one.close?.())) };
}

/** Opens the accounts of a folder, which several processes may have open. */
export function openAccounts(deps: AccountsDeps): Accounts {
  const { folder, ambient, events } = deps;
  const vault = openVault(deps);
  const { guard, close } = remembered(deps.guard);
  const inner = { ...deps, guard, vault, grants: grantsIn(vault) };
  const activity = openActivity(folder);
  const renewals = createRenewals(inner);
  const join = createSingleFlight<void>();
  const challenges = new Map<string, Challenge>();
  const closing = new AbortController();
  const work = unfinished();

  /** What was granted to this very app by these very servers; what was granted to another counts as nothing. */
  const grantFor = async (app: InstalledApp, account: Account): Promise<Grant | null> => {
    const grant = await inner.grants.find(app.appId, account.id);
    return grant?.binding === bindingOf(app, account) ? grant : null;
  };

  async function freshToken(app: InstalledApp, accountId: string, use: { host: string; tool: string }) {
    const account = accountOf(app, accountId);
    const present = await grantFor(app, account);
    const grant = present && (await renewals.fresh({ app, account }, present));
    if (grant?.binding !== bindingOf(app, account)) return null;
    const at = new Date(ambient.now()).toISOString();
    activity.add(app.appId, accountId, { ...use, at });
    events.tell({ type: 'token-used', appId: app.appId, accountId, ...use, at });
    return grant.accessToken;
  }

  async function tokenAfterRefusal(app: InstalledApp, accountId: string, token: string) {
    const account = accountOf(app, accountId);
    const grant = await grantFor(app, account);
    if (!grant) return null;
    // Another call has renewed it since.
    if (grant.accessToken !== token && isValid(grant, ambient.now())) return grant.accessToken;
    const after = await renewals.afterRefusal({ app, account }, grant);
    return after?.binding === bindingOf(app, account) ? after.accessToken : null;
  }

  let ended: Promise<void> | null = null;
  async function end(): Promise<void> {
    closing.abort(new RuntimeRefusal('switched-off', 'The client is closing.'));
    await work.end();
    activity.close();
    await close();
  }

  return {
    async list(app) {
      const now = ambient.now();
      const accounts = app.manifest.accounts ?? [];
      return Promise.all(
        accounts.map(async (account) => statusOf(account, await grantFor(app, account), now)),
      );
    },

    async connect(app, accountId, options = {}) {
      requireRunning(app);
      const account = accountOf(app, accountId);
      const name = nameOf(app, account);
      const caller = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
      const challenge = challenges.get(name);
      await join(
        name,
        (signal) => work.track(connectAccount(inner, app, account, { ...options, signal, challenge })),
        caller,
      );
      challenges.delete(name);
    },

    async token(app, accountId, { host, tool }) {
      requireRunning(app);
      return work.track(freshToken(app, accountId, { host, tool }));
    },

    async refused(app, accountId, token, challenge) {
      requireRunning(app);
      const account = accountOf(app, accountId);
      // A challenge that repeats the token would carry it to wherever it points.
      const said = challenge?.includes(token) ? null : readChallenge(challenge);
      if (said && account.auth === 'mcp') challenges.set(nameOf(app, account), said);
      return work.track(tokenAfterRefusal(app, accountId, token));
    },

    disconnect: (app, accountId) => work.track(disconnectAccount(inner, app, accountId)),
    activity: (appId, accountId, most) => activity.latest(appId, accountId, most),
    close() {
      ended ??= end();
      return ended;
    },
  };
}
