import type { Account } from '@svc/contracts';
import type { Ask } from '../cards/card.ts';
import { connectCard } from '../cards/connect-card.ts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import type { Vault } from '../vault/vault.ts';
import { bindingOf } from './account-of.ts';
import { validateAuthorizationResponse } from './authorization-response.ts';
import { type AuthorizationServer, declaredServer } from './authorization-server.ts';
import { authorizationUrl } from './authorization-url.ts';
import type { ClientDocuments } from './client-document.ts';
import type { Discover } from './discovery/cached-discovery.ts';
import type { Challenge } from './discovery/challenge.ts';
import type { Grant, OAuthClient } from './grant.ts';
import type { Grants } from './grants.ts';
import { type ClientIdentity, clientFor, deleteRegistration } from './oauth-client.ts';
import { OAuthError } from './oauth-error.ts';
import { awaitAnswer, redirectUriOf } from './relay.ts';
import { addressOf, type Guard, type Requests, requestsFor } from './requests.ts';
import { scopesToAsk } from './scopes.ts';
import type { OpenBrowser } from './sign-ins.ts';
import { exchangeCode } from './token-endpoint.ts';
import type { Tokens } from './token-response.ts';

export type ConnectDeps = {
  vault: Vault;
  grants: Grants;
  system: System;
  events: Events;
  guard: Guard;
  /** What apps may reach on this machine; folders of developers alone, when left out. */
  loopbackOf?: LoopbackOf | undefined;
  /** Reaches stores, for the relay. */
  fetchStore: typeof fetch;
  /** Base address of the store that relays sign-ins of apps that come from none. */
  store: string;
  openBrowser: OpenBrowser;
  identity: ClientIdentity;
  documents: ClientDocuments;
  discover: Discover;
  /** Asks the user again when the authorization server is another one than they agreed to; without it, that is refused. */
  ask?: Ask | undefined;
};

export type ConnectOptions = {
  signal?: AbortSignal | undefined;
  /** Scopes to ask for besides: those that the app's server said a token lacked. Never beyond those of the manifest. */
  scopes?: readonly string[] | undefined;
  /**
   * The host of the authorization server as the user was shown it before; null when it was not known then. When another one is
   * found, the user is asked again. Left out, the host that they agreed to last counts.
   */
  shownHost?: string | null | undefined;
};

/** What `connectAccount` is told besides. */
type SignInOptions = ConnectOptions & {
  signal: AbortSignal;
  /** Told the address at which the user signs in, once the browser was asked to open it. */
  opened(url: string): void;
  /** What the server said when it refused a token; counts where it says nothing to a call without one. */
  challenge?: Challenge | undefined;
};

/** Longest time that a person takes to sign in. */
const TIMEOUT_MS = 10 * 60_000;

const SECRET_BYTES = 32;

/** Where and as whom a person is going to sign in, and for what. */
type Plan = { server: AuthorizationServer; resource: string | null; scopes: string[] | null };

/** Finds out all that is needed before the browser opens. */
async function plan(
  { grants, discover }: ConnectDeps,
  requests: Requests,
  app: InstalledApp,
  account: Account,
  { scopes = [], challenge }: SignInOptions,
): Promise<Plan> {
  // Where the manifest leaves the scopes open, what was asked for before must not get lost by asking for more.
  const isOpen = account.scopes.length === 0 && scopes.length > 0;
  const earlier = isOpen ? await grants.find(app.appId, account.id) : null;
  const earlierScopes = earlier?.binding === bindingOf(app, account) ? (earlier.asked ?? []) : [];
  const wishes = { signed: account.scopes, added: [...earlierScopes, ...scopes] };
  if (account.auth === undefined) {
    const server = declaredServer(account, requests.allowLoopback);
    const asked = scopesToAsk({ ...wishes, offered: null, offersOfflineAccess: false });
    return { server, resource: null, scopes: asked };
  }
  const {
    server,
    resource,
    scopes: offered,
  } = await discover(requests, app.manifest.remote.mcpUrl, challenge ?? null);
  if (account.revokeUrl !== undefined) addressOf(account.revokeUrl, requests.allowLoopback);
  return {
    server: { ...server, revocationEndpoint: account.revokeUrl ?? server.revocationEndpoint },
    resource,
    scopes: scopesToAsk({ ...wishes, offered, offersOfflineAccess: server.offersOfflineAccess }),
  };
}

const hostOf = (issuer: string | null): string | null => URL.parse(issuer ?? '')?.host ?? null;

/** The host of the authorization server of an account, as far as it is known without asking anybody. */
export const knownHost = async (
  grants: Grants,
  app: InstalledApp,
  { id, auth, authorizeUrl }: Account,
): Promise<string | null> =>
  hostOf(auth === 'mcp' ? await grants.agreedServer(app, id) : (authorizeUrl ?? null));

/**
 * The MCP server says where to sign in, and may say another place each time: a server that the user was not shown is none they
 * agreed to.
 */
async function requireAgreed(
  { grants, ask }: ConnectDeps,
  app: InstalledApp,
  account: Account,
  { issuer }: AuthorizationServer,
  { shownHost, scopes, signal }: SignInOptions,
): Promise<void> {
  if (account.auth !== 'mcp') return;
  const host = hostOf(issuer);
  const agreed = shownHost === undefined ? await knownHost(grants, app, account) : shownHost;
  // A first sign-in that the user asked for by hand.
  if (host === agreed || (shownHost === undefined && agreed === null)) return;
  const card = connectCard(app, account.id, scopes, { host, formerHost: agreed });
  const answer = await ask?.(card, signal);
  if (!answer?.accepted) throw new RuntimeError('declined', 'The account was not connected.');
}

const secretText = ({ randomBytes }: System): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');

function grantOf(
  { server, resource, scopes }: Plan,
  tokens: Tokens,
  { client, binding, now, loopback }: Pick<Grant, 'client' | 'binding' | 'loopback'> & { now: number },
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
    loopback,
  };
}

/** Has the user sign in at a server, and fetches the tokens. */
async function fetchGrant(
  deps: ConnectDeps,
  requests: Requests,
  { app, account, store, redirectUri, planned, client }: SignIn,
  { opened, signal }: SignInOptions,
): Promise<Grant> {
  const { server, resource, scopes } = planned;
  const [state, verifier] = [secretText(deps.system), secretText(deps.system)];
  const params = account.params ?? {};
  const request = { server, clientId: client.id, redirectUri, state, verifier, scopes, resource, params };
  const url = authorizationUrl(request);
  await deps.openBrowser(url, { appId: app.appId, accountId: account.id, signal }).catch(() => {
    // Not the cause: it may hold the address, and in it the state.
    throw new OAuthError('The browser cannot be opened.');
  });
  opened(url);
  const relayed = await awaitAnswer(deps, store, state, signal);
  const answer = await validateAuthorizationResponse(requests, server, relayed, {
    clientId: client.id,
    state,
    verifier,
  });
  const tokens = await exchangeCode({ server, client, resource }, requests, {
    answer,
    redirectUri,
    verifier,
  });
  const loopback =
    typeof requests.allowLoopback === 'boolean' ? requests.allowLoopback : [...requests.allowLoopback];
  return grantOf(planned, tokens, {
    client,
    binding: bindingOf(app, account),
    now: deps.system.now(),
    loopback,
  });
}

type SignIn = {
  app: InstalledApp;
  account: Account;
  store: string;
  redirectUri: string;
  planned: Plan;
  client: OAuthClient;
};

/**
 * A server that does not know the client any more, or cannot read its document, shows the user an error and sends the browser
 * nowhere: whatever the sign-in failed with, the next one brings a new client. A user who says no was understood.
 */
async function dropFailedClient(
  deps: ConnectDeps,
  { account: { clientId }, redirectUri, planned }: SignIn,
  error: unknown,
): Promise<void> {
  const { issuer, registrationEndpoint } = planned.server;
  if (issuer === null || (error instanceof OAuthError && error.oauthError === 'access_denied')) return;
  if (registrationEndpoint !== null || clientId !== undefined) deps.documents.refuse(issuer);
  await deleteRegistration(deps, issuer, redirectUri);
}

/** One sign-in, from finding the server to the tokens in the vault. */
async function signIn(
  deps: ConnectDeps,
  app: InstalledApp,
  account: Account,
  options: SignInOptions,
): Promise<void> {
  const store = app.source.kind === 'store' ? app.source.store : deps.store;
  const redirectUri = redirectUriOf(store);
  const requests = requestsFor(deps, app, options.signal);
  const planned = await plan(deps, requests, app, account, options);
  const { server } = planned;
  await requireAgreed(deps, app, account, server, options);
  const client = await clientFor(deps, requests, { app, account, server, store, redirectUri });
  const attempt = { app, account, store, redirectUri, planned, client };
  const grant = await fetchGrant(deps, requests, attempt, options).catch(async (error: unknown) => {
    await dropFailedClient(deps, attempt, error);
    throw error;
  });
  if (await deps.grants.keep(app.appId, account.id, grant)) return;
  throw new OAuthError('The app was removed or changed during the sign-in.');
}

/**
 * Has a person sign in, and keeps what they granted.
 * @throws RuntimeError connect-failed, scope-refused; the signal's reason when it is aborted
 */
export async function connectAccount(
  deps: ConnectDeps,
  app: InstalledApp,
  account: Account,
  options: SignInOptions,
): Promise<void> {
  const { signal } = options;
  signal.throwIfAborted();
  try {
    await withinTime(deps.system, TIMEOUT_MS, signal, (limit) =>
      signIn(deps, app, account, { ...options, signal: limit }),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof OAuthError) throw new RuntimeError('connect-failed', error.message);
    if (error instanceof RuntimeError && error.code === 'too-slow') {
      throw new RuntimeError('connect-failed', 'The sign-in was not finished within ten minutes.');
    }
    throw error;
  }
  deps.events.emit({ type: 'account-connected', appId: app.appId, accountId: account.id });
}
