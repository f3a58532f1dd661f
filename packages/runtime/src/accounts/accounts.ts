import type { Account } from '@svc/contracts';
import { inBackground } from '@svc/contracts/guarded';
import type { TokenSource } from '../calls/authorised-fetch.ts';
import type { SignInDetails } from '../cards/ask-to-connect.ts';
import { type InstalledApp, requireEnabled } from '../library/installed-app.ts';
import type { Alone } from '../platform/process-lock.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Tracing } from '../platform/tracing.ts';
import { withinTime } from '../platform/within-time.ts';
import { openVault, type VaultPlace } from '../vault/vault.ts';
import type { VaultKey } from '../vault/vault-key.ts';
import { openActivity, type TokenUse } from './activity.ts';
import { scopesToAsk } from './authorization.ts';
import { createClientDocuments } from './client-document.ts';
import { type ConnectDeps, type ConnectOptions, connectAccount, knownHost, scopeWishes } from './connect.ts';
import { type Challenge, readChallenge } from './discovery/challenge.ts';
import { cacheDiscovery, type Discovered } from './discovery/discover.ts';
import { type AccountStatus, accountOf, bindingOf, type Grant, isValid, statusOf } from './grant.ts';
import { createSettling, type Disconnected, disconnectAccount, grantsIn } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { createRenewals } from './renew.ts';
import { type Guard, requestsFor } from './requests.ts';
import { createRevocations } from './revocations.ts';
import { createSignIns, type OpenBrowser } from './sign-ins.ts';

/** The accounts of apps: sign-ins and access tokens. Refresh tokens are never returned. */
export type Accounts = Omit<TokenSource, 'connect'> & {
  /** Lists the accounts that an app declares. */
  list(app: InstalledApp): Promise<AccountStatus[]>;
  /**
   * Signs the user in to an account. Callers for the same account share one sign-in; a later caller reopens its page.
   * @throws RuntimeError connect-failed, scope-refused, unknown-account, switched-off, yanked, vault-locked; declined when the
   *   sign-in is cancelled or the user rejects the authorization server
   */
  connect(app: InstalledApp, accountId: string, options?: ConnectOptions): Promise<void>;
  /** Reopens the page of the sign-in in progress. @returns false when there is none */
  reopen(appId: string, accountId: string): Promise<boolean>;
  /** Cancels the sign-in in progress: its callers reject with `declined`. @returns false when there is none */
  cancel(appId: string, accountId: string): boolean;
  /** The digits to type on the callback page of the sign-in in progress, if it asks for them; null as long as it need not. */
  digits(appId: string, accountId: string): string | null;
  /**
   * Deletes and revokes grants that no account needs: of removed apps, and of accounts that an update dropped or moved. Also sends
   * pending revocations. Runs automatically on first use of accounts and after each update and removal.
   */
  settle(): Promise<void>;
  /** Deletes the grant of an account, and revokes it at its server. */
  disconnect(app: InstalledApp, accountId: string): Promise<Disconnected>;
  /** Lists uses of the tokens of an account, newest first. */
  activity(appId: string, accountId: string, limit?: number): TokenUse[];
  /** Cancels sign-ins, and waits for renewals so that new tokens are stored. */
  close(): Promise<void>;
};

export type AccountsDeps = Omit<ConnectDeps, 'vault' | 'grants' | 'documents' | 'discover'> & {
  /** Folder of the runtime. */
  folder: string;
  openBrowser: OpenBrowser;
  /** Looks up an installed app. Default: grants are kept until they are disconnected. */
  installed?: ((appId: string) => InstalledApp | null) | undefined;
  /** Receives faults of background work. */
  onFault?: ((error: unknown) => void) | undefined;
  /** Default: no spans. */
  tracing?: Pick<Tracing, 'span'> | undefined;
  /** Where the key of the vault is stored; the first one that can store a key creates the vault. */
  keys: readonly VaultKey[];
  /** Where the vault is stored. Default: a file in the folder. */
  place?: VaultPlace | undefined;
  /** Keeps other processes from renewing the same account. Default: locks in the folder. */
  alone?: Alone | undefined;
};

/** A key for an account of this app at these authorization servers. */
const nameOf = (app: InstalledApp, account: Account): string =>
  JSON.stringify([bindingOf(app, account), app.appId, account.id]);

/** Tracks work that must finish before its resources are closed. */
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

/** Caches one guarded fetch per host, to reuse its connections. */
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
    inBackground(work.track(sent), onFault);
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

/** Time limit for finding the host of an authorization server for a card, in milliseconds. */
const NAMING_MS = 10_000;

/** Opens the accounts of a folder. Several processes may use one folder at the same time. */
export function openAccounts(deps: AccountsDeps): Accounts {
  const { folder, system, events } = deps;
  const parts = openParts(deps);
  const { inner, grants, revocations, discovery, renewals, signIns, closing, work } = parts;
  const activity = openActivity(folder);
  const challenges = new Map<string, Challenge>();
  const settling = createSettling({ ...deps, ...parts });
  const unsubscribe = settling.follow((task) => inBackground(work.track(task), deps.onFault));

  /** The grant that is bound to this app and its authorization servers; null for any other. */
  const grantFor = async (app: InstalledApp, account: Account): Promise<Grant | null> => {
    const grant = await grants.find(app.appId, account.id);
    if (!settling.isUsed()) inBackground(work.track(settling.inBackground()), deps.onFault);
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

  /** The challenge of an earlier 401, or the metadata that named the server of the last sign-in, also after a restart. */
  async function earlierChallenge(app: InstalledApp, account: Account): Promise<Challenge | null> {
    const present = challenges.get(nameOf(app, account));
    if (present) return present;
    const place = (await grants.agreedServer(app, account.id))?.metadataUrl;
    return place === undefined ? null : { resourceMetadata: [place], scopes: null, error: null };
  }

  /** Returns null when discovery fails: the card then names no host, and the sign-in reports the error. */
  async function discoverQuietly(app: InstalledApp, account: Account): Promise<Discovered | null> {
    const challenge = await earlierChallenge(app, account);
    try {
      return await withinTime(system, NAMING_MS, closing.signal, (signal) =>
        discovery.discover(requestsFor(inner, app, signal), app.manifest.remote.mcpUrl, challenge),
      );
    } catch (error) {
      closing.signal.throwIfAborted();
      if (error instanceof OAuthError || error instanceof RuntimeError) return null;
      throw error;
    }
  }

  async function detailsOf(
    app: InstalledApp,
    account: Account,
    added: readonly string[],
  ): Promise<SignInDetails> {
    const wishes = await scopeWishes(grants, app, account, added);
    const closed = { ...wishes, offered: null, offersOfflineAccess: false };
    // Before discovery: a step-up that the manifest does not allow shows no card.
    const declared = scopesToAsk(closed);
    const known = await knownHost(grants, app, account);
    const isOpen = account.scopes.length === 0;
    if (account.auth !== 'mcp' || (known !== null && !isOpen)) return { host: known, scopes: declared ?? [] };
    const found = await discoverQuietly(app, account);
    const host = known ?? URL.parse(found?.server.issuer ?? '')?.host ?? null;
    const { scopes: offered = null, server } = found ?? {};
    const offersOfflineAccess = server?.offersOfflineAccess ?? false;
    return { host, scopes: scopesToAsk({ ...wishes, offered, offersOfflineAccess }) ?? [] };
  }

  async function signIn(app: InstalledApp, account: Account, options: ConnectOptions): Promise<void> {
    const name = nameOf(app, account);
    const caller = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
    const challenge = (await earlierChallenge(app, account)) ?? undefined;
    const owner = { appId: app.appId, accountId: account.id };
    await signIns.join(
      name,
      owner,
      (signal, progress) =>
        work.track(connectAccount(inner, app, account, { ...options, ...progress, signal, challenge })),
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
          const owner = { appId: app.appId, accountId: account.id };
          const signingIn = signIns.underWay(owner) !== null;
          return { ...status, host, signingIn, digits: signIns.digits(owner) };
        }),
      );
    },

    async connect(app, accountId, options = {}) {
      requireEnabled(app);
      await signIn(app, accountOf(app, accountId), options);
    },
    reopen: (appId, accountId) => signIns.reopen({ appId, accountId }),
    cancel: (appId, accountId) => signIns.cancel(appId, accountId),
    underWay: ({ appId }, accountId) => signIns.underWay({ appId, accountId }),
    digits: (appId, accountId) => signIns.digits({ appId, accountId }),
    async signInDetails(app, accountId, scopes = []) {
      return work.track(detailsOf(app, accountOf(app, accountId), scopes));
    },
    settle: () => work.track(settling.settle()),

    async ready(app, accountId) {
      requireEnabled(app);
      return (await work.track(freshGrant(app, accountId))) !== null;
    },

    async token(app, accountId, { host, tool }) {
      requireEnabled(app);
      return work.track(freshToken(app, accountId, { host, tool }));
    },

    async refreshAfter401(app, accountId, token, challenge) {
      requireEnabled(app);
      const account = accountOf(app, accountId);
      // A challenge that contains the token could leak it to the URL that the challenge names.
      const parsed = token !== '' && challenge?.includes(token) ? null : readChallenge(challenge);
      if (parsed) challenges.set(nameOf(app, account), parsed);
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
