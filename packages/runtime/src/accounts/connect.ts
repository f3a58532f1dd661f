import type { Account } from '@svc/contracts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import type { Ambient } from '../platform/ambient.ts';
import { RuntimeRefusal } from '../platform/refusal.ts';
import { withinTime } from '../platform/within-time.ts';
import type { Vault } from '../vault/vault.ts';
import { bindingOf } from './account-of.ts';
import { authorizationUrl } from './authorization-url.ts';
import { checkAnswer } from './check-answer.ts';
import type { Challenge } from './discovery/challenge.ts';
import { discover } from './discovery/discover.ts';
import type { Grant } from './grant.ts';
import type { Grants } from './grants.ts';
import { awaitAnswer, redirectUriOf } from './relay.ts';
import { addressOf, type Guard, type Requests, requestsFor } from './requests.ts';
import { scopesToAsk } from './scopes.ts';
import { type ClientIdentity, clientFor, forgetClient } from './sign-in-client.ts';
import { SignInFault } from './sign-in-fault.ts';
import { declaredServer, type SignInServer } from './sign-in-server.ts';
import { exchangeCode, type Tokens } from './token-endpoint.ts';

export type ConnectDeps = {
  vault: Vault;
  grants: Grants;
  ambient: Ambient;
  events: Events;
  guard: Guard;
  /** What apps may reach on this machine; folders of developers alone, when left out. */
  loopbackOf?: LoopbackOf | undefined;
  /** Reaches stores, for the relay. */
  fetchStore: typeof fetch;
  /** Base address of the store that relays sign-ins of apps that come from none. */
  store: string;
  /** Opens an address in the person's browser. */
  openBrowser(url: string): Promise<void>;
  identity: ClientIdentity;
};

export type ConnectOptions = {
  signal?: AbortSignal | undefined;
  /** Scopes to ask for besides: those that the app's server said a token lacked. Never beyond those of the manifest. */
  scopes?: readonly string[] | undefined;
};

/** What `connectAccount` is told besides. */
type SignInOptions = ConnectOptions & {
  /** What the server said when it refused a token; counts where it says nothing to a call without one. */
  challenge?: Challenge | undefined;
};

/** Longest time that a person takes to sign in. */
const PATIENCE_MS = 10 * 60_000;

const SECRET_BYTES = 32;

/** Where and as whom a person is going to sign in, and for what. */
type Plan = { server: SignInServer; resource: string | null; scopes: string[] | null };

/** Finds out all that is needed before the browser opens. */
async function plan(
  { grants }: ConnectDeps,
  requests: Requests,
  app: InstalledApp,
  account: Account,
  { scopes = [], challenge }: SignInOptions,
): Promise<Plan> {
  // Where the manifest leaves the scopes open, what was asked for before must not get lost by asking for more.
  const isOpen = account.scopes.length === 0 && scopes.length > 0;
  const earlier = isOpen ? await grants.find(app.appId, account.id) : null;
  const held = earlier?.binding === bindingOf(app, account) ? (earlier.asked ?? []) : [];
  const wishes = { signed: account.scopes, added: [...held, ...scopes] };
  if (account.auth === undefined) {
    const server = declaredServer(account, requests.allowLoopback);
    const asked = scopesToAsk({ ...wishes, offered: null, offersOfflineAccess: false });
    return { server, resource: null, scopes: asked };
  }
  const {
    server,
    resource,
    scopes: offered,
  } = await discover(requests, app.manifest.remote.mcpUrl, challenge);
  if (account.revokeUrl !== undefined) addressOf(account.revokeUrl, requests.allowLoopback);
  return {
    server: { ...server, revocationEndpoint: account.revokeUrl ?? server.revocationEndpoint },
    resource,
    scopes: scopesToAsk({ ...wishes, offered, offersOfflineAccess: server.offersOfflineAccess }),
  };
}

const secretText = ({ randomBytes }: Ambient): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');

function grantOf(
  { server, resource, scopes }: Plan,
  tokens: Tokens,
  { client, binding, now }: { client: Grant['client']; binding: string; now: number },
): Grant {
  const { issuer, tokenEndpoint, revocationEndpoint } = server;
  return {
    binding,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    issuedAt: now,
    expiresAt: tokens.lifetimeMs === null ? null : now + tokens.lifetimeMs,
    asked: scopes,
    granted: tokens.scopes,
    server: { issuer, tokenEndpoint, revocationEndpoint },
    client,
    resource,
    connectedAt: now,
  };
}

/** One sign-in, from finding the server to the tokens in the vault. */
async function signIn(
  deps: ConnectDeps,
  app: InstalledApp,
  account: Account,
  options: SignInOptions,
  signal: AbortSignal,
): Promise<void> {
  const store = app.source.kind === 'store' ? app.source.store : deps.store;
  const redirectUri = redirectUriOf(store);
  const requests = requestsFor(deps, app, signal);
  const planned = await plan(deps, requests, app, account, options);
  const { server, resource, scopes } = planned;
  const client = await clientFor(deps, requests, { account, server, redirectUri });
  const [state, verifier] = [secretText(deps.ambient), secretText(deps.ambient)];
  try {
    const params = account.params ?? {};
    const request = { server, clientId: client.id, redirectUri, state, verifier, scopes, resource, params };
    await deps.openBrowser(authorizationUrl(request)).catch(() => {
      // Not the cause: it may hold the address, and in it the state.
      throw new SignInFault('The browser cannot be opened.');
    });
    const came = await awaitAnswer(deps, store, state, signal);
    const answer = await checkAnswer(requests, server, came, { clientId: client.id, state, verifier });
    const source = { server, client, resource };
    const tokens = await exchangeCode(source, requests, { answer, redirectUri, verifier });
    const now = deps.ambient.now();
    const grant = grantOf(planned, tokens, { client, binding: bindingOf(app, account), now });
    await deps.grants.keep(app.appId, account.id, grant);
  } catch (error) {
    // A server that has forgotten us shows the person an error, and sends nobody back.
    if (server.issuer !== null) await forgetClient(deps, server.issuer, redirectUri);
    throw error;
  }
}

/**
 * Has a person sign in, and keeps what they granted.
 * @throws RuntimeRefusal connect-failed, scope-refused; the signal's reason when it is aborted
 */
export async function connectAccount(
  deps: ConnectDeps,
  app: InstalledApp,
  account: Account,
  options: SignInOptions,
): Promise<void> {
  const { signal = AbortSignal.any([]) } = options;
  signal.throwIfAborted();
  try {
    await withinTime(deps.ambient, PATIENCE_MS, signal, (limit) =>
      signIn(deps, app, account, options, limit),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof SignInFault) throw new RuntimeRefusal('connect-failed', error.message);
    if (error instanceof RuntimeRefusal && error.code === 'too-slow') {
      throw new RuntimeRefusal('connect-failed', 'Nobody signed in within ten minutes.');
    }
    throw error;
  }
  deps.events.tell({ type: 'account-connected', appId: app.appId, accountId: account.id });
}
