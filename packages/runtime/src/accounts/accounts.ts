import type { Account } from '@svc/contracts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { withinTime } from '../platform/within-time.ts';
import { openVault } from '../vault/vault.ts';
import type { VaultKey } from '../vault/vault-key.ts';
import { accountOf, bindingOf, requireTokenUse } from './account-of.ts';
import { type AccountStatus, statusOf } from './account-status.ts';
import { openActivity, type TokenUse } from './activity.ts';
import { createClientDocuments } from './client-document.ts';
import { type ConnectDeps, type ConnectOptions, connectAccount, knownHost } from './connect.ts';
import { type Disconnected, disconnectAccount } from './disconnect.ts';
import { cacheDiscovery } from './discovery/cached-discovery.ts';
import { type Challenge, readChallenge } from './discovery/challenge.ts';
import { type Grant, isValid } from './grant.ts';
import { grantsIn } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { createRenewals } from './renew.ts';
import { type Guard, requestsFor } from './requests.ts';
import { createRevocations } from './revocations.ts';
import { createSettling } from './settle.ts';
import { createSignIns } from './sign-ins.ts';

/** The accounts of apps: sign-ins, and the access tokens that come of them. Refresh tokens never leave it. */
export type Accounts = {
  /** The accounts that an app declares. */
  list(app: InstalledApp): Promise<AccountStatus[]>;
  /**
   * Has the user sign in. Calls for the same account share one sign-in; one that comes while it waits opens its page again.
   * @throws RuntimeError connect-failed, scope-refused, unknown-account, switched-off, withdrawn, vault-locked; declined when it is
   *   cancelled, or the authorization server is not one that the user agrees to
   */
  connect(app: InstalledApp, accountId: string, options?: ConnectOptions): Promise<void>;
  /** Opens the page of the sign-in under way again. @returns false when there is none */
  reopen(appId: string, accountId: string): Promise<boolean>;
  /** Ends the sign-in under way: callers that wait for it are refused with `declined`. @returns false when there is none */
  cancel(appId: string, accountId: string): boolean;
  /** What resolves with the sign-in under way; null when there is none. */
  underWay(app: InstalledApp, accountId: string): Promise<void> | null;
  /** Host of the authorization server of an account. Where only the app's server knows it, that one is asked; null when it does not say. */
  signInHost(app: InstalledApp, accountId: string): Promise<string | null>;
  /** Whether a token is at hand, renewed if needed, without handing it out. @throws RuntimeError as token */
  ready(app: InstalledApp, accountId: string): Promise<boolean>;
  /**
   * Ends what no account needs any more: grants of apps that were removed, and of accounts that an update dropped or moved; and
   * sends the revocations that wait. It happens by itself when accounts are first used, and after each update and removal.
   */
  settle(): Promise<void>;
  /**
   * An access token that is good for a call, and a line in the record of who got it.
   * @returns null when the person has to connect
   * @throws RuntimeError token-unavailable when it ran out and no new one is to be had just now; and as connect
   */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
  /**
   * What to do when the app's server answered 401 to a token. What its challenge (RFC 6750 section 3, RFC 9728 section 5.1) says
   * of where to sign in and for what is kept for the next `connect`, for servers that say it at this moment alone.
   * @returns a token that is newer, to be tried once; null when the person has to connect
   * @throws RuntimeError token-unavailable; and as connect
   */
  refreshAfter401(
    app: InstalledApp,
    accountId: string,
    token: string,
    challenge: string | null,
  ): Promise<string | null>;
  /** Ends what was granted, and says whether the server revoked it too. */
  disconnect(app: InstalledApp, accountId: string): Promise<Disconnected>;
  /** Who got tokens of an account, newest first. */
  activity(appId: string, accountId: string, limit?: number): TokenUse[];
  /** Ends sign-ins, and waits for renewals: what a server has made again is kept. */
  close(): Promise<void>;
};

export type AccountsDeps = Omit<ConnectDeps, 'vault' | 'grants' | 'documents' | 'discover'> & {
  /** Folder of the runtime. */
  folder: string;
  /** What is installed now, by any process. Left out, accounts count as there until they are disconnected. */
  installed?: ((appId: string) => InstalledApp | null) | undefined;
  /** Told of faults of work in the background. */
  onFault?: ((error: unknown) => void) | undefined;
  /** Where the key of the vault comes from: the first that can keep one makes a new vault. */
  keys: readonly VaultKey[];
};

/** One name for an account of this very app at these very servers. */
const nameOf = (app: InstalledApp, account: Account): string =>
  JSON.stringify([bindingOf(app, account), app.appId, account.id]);

/** Work that has to be brought to its end before what it works with is closed. */
function createWorkTracker() {
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
function cachedGuards(create: Guard) {
  const guards = new Map<string, ReturnType<Guard>>();
  const guard: Guard = (reach) => {
    const key = JSON.stringify(reach);
    const present = guards.get(key) ?? create(reach);
    guards.set(key, present);
    return present;
  };
  return { guard, close: () => Promise.all(Array.from(guards.values(), (one) => one.close?.())) };
}

/** Everything that works on the accounts of a folder, and what closes it. */
function openParts(deps: AccountsDeps) {
  const { system, installed, onFault = () => undefined } = deps;
  const closing = new AbortController();
  const vault = openVault(deps);
  const { guard, close } = cachedGuards(deps.guard);
  const { signal } = closing;
  const work = createWorkTracker();
  const revocations = createRevocations({ vault, system, guard, signal, onFault });
  const revoking = () => {
    const sent = revocations.drain().catch((error: unknown) => (signal.aborted ? undefined : onFault(error)));
    void work.track(sent);
  };
  const grants = grantsIn({ vault, system, installed, revoking });
  const documents = createClientDocuments({ ...deps, documentUrl: deps.identity.documentUrl });
  const discovery = cacheDiscovery(system);
  const clientGone = ({ server: { issuer } }: Grant) => documents.refuse(issuer ?? '');
  const renewals = createRenewals({ ...deps, guard, grants, clientGone });
  const signIns = createSignIns(deps);
  const inner = { ...deps, guard, vault, grants, documents, discover: discovery.take };
  return { inner, grants, revocations, discovery, renewals, signIns, closing, work, close };
}

/** Longest wait for the name of an authorization server, in milliseconds: a card must not keep the user waiting. */
const NAMING_MS = 10_000;

/** Opens the accounts of a folder, which several processes may have open. */
export function openAccounts(deps: AccountsDeps): Accounts {
  const { folder, system, events } = deps;
  const parts = openParts(deps);
  const { inner, grants, revocations, discovery, renewals, signIns, closing, work } = parts;
  const activity = openActivity(folder);
  const challenges = new Map<string, Challenge>();
  const settling = createSettling({ ...deps, ...parts });
  const unsubscribe = settling.follow((task) => void work.track(task));

  /** What was granted to this very app by these very servers; what was granted to another counts as nothing. */
  const grantFor = async (app: InstalledApp, account: Account): Promise<Grant | null> => {
    const grant = await grants.find(app.appId, account.id);
    if (!settling.isUsed()) void work.track(settling.inBackground());
    return grant?.binding === bindingOf(app, account) ? grant : null;
  };

  async function freshGrant(app: InstalledApp, accountId: string): Promise<Grant | null> {
    const account = accountOf(app, accountId);
    const present = await grantFor(app, account);
    const grant = present && (await renewals.fresh({ app, account }, present));
    return grant?.binding === bindingOf(app, account) ? grant : null;
  }

  async function freshToken(app: InstalledApp, accountId: string, use: { host: string; tool: string }) {
    const grant = await freshGrant(app, accountId);
    if (!grant) return null;
    const at = new Date(system.now()).toISOString();
    activity.add(app.appId, accountId, { ...use, at });
    events.emit({ type: 'token-used', appId: app.appId, accountId, ...use, at });
    return grant.accessToken;
  }

  async function tokenAfter401(app: InstalledApp, accountId: string, token: string) {
    const account = accountOf(app, accountId);
    const grant = await grantFor(app, account);
    if (!grant) return null;
    // Another call has renewed it since.
    if (grant.accessToken !== token && isValid(grant, system.now())) return grant.accessToken;
    const after = await renewals.after401({ app, account }, grant);
    return after?.binding === bindingOf(app, account) ? after.accessToken : null;
  }

  /** The app's server may be away, or say nothing of use: the card then names no host, and the sign-in says what is wrong. */
  async function discoverHost(app: InstalledApp, account: Account): Promise<string | null> {
    const known = await knownHost(grants, app, account);
    if (known !== null || account.auth !== 'mcp') return known;
    const challenge = challenges.get(nameOf(app, account)) ?? null;
    try {
      const { server } = await withinTime(system, NAMING_MS, closing.signal, (signal) =>
        discovery.discover(requestsFor(inner, app, signal), app.manifest.remote.mcpUrl, challenge),
      );
      return URL.parse(server.issuer ?? '')?.host ?? null;
    } catch (error) {
      closing.signal.throwIfAborted();
      if (error instanceof OAuthError || error instanceof RuntimeError) return null;
      throw error;
    }
  }

  async function signIn(app: InstalledApp, account: Account, options: ConnectOptions): Promise<void> {
    const name = nameOf(app, account);
    const caller = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
    const challenge = challenges.get(name);
    const owner = { appId: app.appId, accountId: account.id };
    await signIns.join(
      name,
      owner,
      (signal, opened) =>
        work.track(connectAccount(inner, app, account, { ...options, signal, opened, challenge })),
      caller,
    );
    challenges.delete(name);
  }

  let ended: Promise<void> | null = null;
  async function end(): Promise<void> {
    unsubscribe();
    closing.abort(new RuntimeError('switched-off', 'The client is closing.'));
    await work.end();
    activity.close();
    await parts.close();
  }

  return {
    async list(app) {
      const now = system.now();
      const accounts = app.manifest.accounts ?? [];
      return Promise.all(
        accounts.map(async (account) => {
          const status = statusOf(account, await grantFor(app, account), now);
          const host = status.host ?? (await knownHost(grants, app, account));
          const signingIn = signIns.underWay({ appId: app.appId, accountId: account.id }) !== null;
          return { ...status, host, signingIn };
        }),
      );
    },

    async connect(app, accountId, options = {}) {
      requireTokenUse(app);
      await signIn(app, accountOf(app, accountId), options);
    },
    reopen: (appId, accountId) => signIns.reopen({ appId, accountId }),
    cancel: (appId, accountId) => signIns.cancel(appId, accountId),
    underWay: ({ appId }, accountId) => signIns.underWay({ appId, accountId }),
    async signInHost(app, accountId) {
      return work.track(discoverHost(app, accountOf(app, accountId)));
    },
    settle: () => work.track(settling.settle()),

    async ready(app, accountId) {
      requireTokenUse(app);
      return (await work.track(freshGrant(app, accountId))) !== null;
    },

    async token(app, accountId, { host, tool }) {
      requireTokenUse(app);
      return work.track(freshToken(app, accountId, { host, tool }));
    },

    async refreshAfter401(app, accountId, token, challenge) {
      requireTokenUse(app);
      const account = accountOf(app, accountId);
      // A challenge that repeats the token would carry it to wherever it points.
      const parsed = challenge?.includes(token) ? null : readChallenge(challenge);
      if (parsed && account.auth === 'mcp') challenges.set(nameOf(app, account), parsed);
      return work.track(tokenAfter401(app, accountId, token));
    },

    disconnect: (app, accountId) =>
      work.track(disconnectAccount({ grants, events, revocations }, app, accountId)),
    activity: (appId, accountId, limit) => activity.latest(appId, accountId, limit),
    close() {
      ended ??= end();
      return ended;
    },
  };
}
