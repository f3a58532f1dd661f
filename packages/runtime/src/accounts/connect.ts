import type { Account } from '@svc/contracts';
import { connectCard } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import { connectFailed, RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import type { Vault } from '../vault/vault.ts';
import { authorizationUrl, scopesToAsk, validateAuthorizationResponse } from './authorization.ts';
import type { ClientDocuments } from './client-document.ts';
import type { Challenge } from './discovery/challenge.ts';
import type { Discover, Discovered } from './discovery/discover.ts';
import { type AuthorizationServer, declaredServer } from './discovery/server-metadata.ts';
import { bindingOf, type Grant, type OAuthClient } from './grant.ts';
import type { Grants } from './grants.ts';
import { type ClientIdentity, clientFor, deleteRegistration } from './oauth-client.ts';
import { OAuthError } from './oauth-error.ts';
import { announce, awaitAnswer, redirectUriOf } from './relay.ts';
import { addressOf, type Guard, type Requests, requestsFor } from './requests.ts';
import type { SignInProgress } from './sign-ins.ts';
import { exchangeCode } from './token-endpoint.ts';
import type { Tokens } from './token-response.ts';

export type ConnectDeps = {
  vault: Vault;
  grants: Grants;
  system: System;
  events: Events;
  guard: Guard;
  /** What apps may reach on this machine. Default: only apps of developer folders. */
  loopbackOf?: LoopbackOf | undefined;
  /** The fetch for requests to the relay of a store. */
  fetchStore: typeof fetch;
  /** Base URL of the store that relays sign-ins of apps that are not from a store. */
  store: string;
  identity: ClientIdentity;
  documents: ClientDocuments;
  discover: Discover;
  /** Asks the user when the authorization server has changed; without it, a changed server is refused. */
  ask?: Ask | undefined;
};

export type ConnectOptions = {
  signal?: AbortSignal | undefined;
  /** Additional scopes: those that the app's server requires. Never beyond those of the manifest. */
  scopes?: readonly string[] | undefined;
  /**
   * The host of the authorization server that the card showed; null when it was unknown. If discovery finds another host, the user
   * is asked again. Default: the host that the user last agreed to.
   */
  shownHost?: string | null | undefined;
};

/** Options of `connectAccount`. */
type SignInOptions = ConnectOptions &
  SignInProgress & {
    signal: AbortSignal;
    /** The challenge of an earlier 401; used when a request without a token gets none. */
    challenge?: Challenge | undefined;
  };

/** Time limit of a sign-in, in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

const SECRET_BYTES = 32;

type Plan = Pick<Discovered, 'server' | 'scopes' | 'metadataUrl'> & { resource: string | null };

/** The scopes that an account declares, and those to add to them. */
export async function scopeWishes(
  grants: Grants,
  app: InstalledApp,
  account: Account,
  scopes: readonly string[],
): Promise<{ signed: readonly string[]; added: readonly string[] }> {
  // Where the manifest names no scopes, a step-up must keep the scopes that were requested earlier.
  const isOpen = account.scopes.length === 0 && scopes.length > 0;
  const earlier = isOpen ? await grants.find(app.appId, account.id) : null;
  const earlierScopes = earlier?.binding === bindingOf(app, account) ? (earlier.asked ?? []) : [];
  return { signed: account.scopes, added: [...earlierScopes, ...scopes] };
}

/** Determines everything that is needed before the browser opens. */
async function plan(
  { grants, discover }: ConnectDeps,
  requests: Requests,
  app: InstalledApp,
  account: Account,
  { scopes = [], challenge }: SignInOptions,
): Promise<Plan> {
  const wishes = await scopeWishes(grants, app, account, scopes);
  if (account.auth === undefined) {
    const server = declaredServer(account, requests.allowLoopback);
    const asked = scopesToAsk({ ...wishes, offered: null, offersOfflineAccess: false });
    return { server, resource: null, scopes: asked, metadataUrl: null };
  }
  const {
    server,
    resource,
    scopes: offered,
    metadataUrl,
  } = await discover(requests, app.manifest.remote.mcpUrl, challenge ?? null);
  if (account.revokeUrl !== undefined) addressOf(account.revokeUrl, requests.allowLoopback);
  return {
    server: { ...server, revocationEndpoint: account.revokeUrl ?? server.revocationEndpoint },
    resource,
    metadataUrl,
    scopes: scopesToAsk({ ...wishes, offered, offersOfflineAccess: server.offersOfflineAccess }),
  };
}

const hostOf = (issuer: string | null): string | null => URL.parse(issuer ?? '')?.host ?? null;

/** The host of the authorization server of an account, as far as it is known without a request. */
export const knownHost = async (
  grants: Grants,
  app: InstalledApp,
  { id, auth, authorizeUrl }: Account,
): Promise<string | null> =>
  hostOf((auth === 'mcp' ? (await grants.agreedServer(app, id))?.issuer : authorizeUrl) ?? null);

/**
 * Requires that the user agreed to the authorization server. The MCP server names it, and could name another one each time.
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
  // A first sign-in that the user started themselves.
  if (host === agreed || (shownHost === undefined && agreed === null)) return;
  const card = connectCard(app, account.id, scopes, { host, formerHost: agreed });
  const answer = await ask?.(card, signal);
  if (!answer?.accepted) throw new RuntimeError('declined', 'The account was not connected.');
}

const secretText = ({ randomBytes }: System): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');

function grantOf(
  { server, resource, scopes, metadataUrl }: Plan,
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
    ...(metadataUrl !== null && { metadataUrl }),
    ...(tokens.holder !== undefined && { holder: tokens.holder }),
    loopback,
  };
}

/** Runs the authorization code flow and returns the grant. */
async function fetchGrant(
  deps: ConnectDeps,
  requests: Requests,
  { app, account, store, redirectUri, planned, client }: SignIn,
  { open, onDigits, signal }: SignInOptions,
): Promise<Grant> {
  const { server, resource, scopes } = planned;
  const [state, verifier] = [secretText(deps.system), secretText(deps.system)];
  const params = account.params ?? {};
  const request = { server, clientId: client.id, redirectUri, state, verifier, scopes, resource, params };
  const url = authorizationUrl(request);
  // A store cannot name the apps of other sources.
  const named = app.source.kind === 'store' ? { app: app.appId } : {};
  const relay = { store, state, onDigits, ...named };
  await announce(deps, relay, signal);
  await open(url);
  const relayed = await awaitAnswer(deps, relay, signal);
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
  return grantOf(planned, tokens, {
    client,
    binding: bindingOf(app, account),
    now: deps.system.now(),
    loopback: requests.allowLoopback,
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
 * Drops the client after a failed sign-in, so that the next one registers again: a server that no longer knows the client, or cannot
 * read its document, shows an error page and never redirects. Not after `access_denied`: then the client works.
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

/** Runs one sign-in, from discovery to the tokens in the vault. */
async function signIn(
  deps: ConnectDeps,
  app: InstalledApp,
  account: Account,
  options: SignInOptions,
): Promise<void> {
  // Before the user signs in: on a full disk the account could not be kept.
  await deps.grants.requireWritable();
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
 * Signs the user in, and stores the grant.
 * @throws RuntimeError connect-failed, scope-refused; the signal's reason when it is aborted
 */
export async function connectAccount(
  deps: ConnectDeps,
  app: InstalledApp,
  account: Account,
  options: SignInOptions,
): Promise<void> {
  const { signal } = options;
  try {
    await withinTime(deps.system, TIMEOUT_MS, signal, (limit) =>
      signIn(deps, app, account, { ...options, signal: limit }),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof OAuthError) throw connectFailed(error.message, error.reason, error.oauthError);
    if (error instanceof RuntimeError && error.code === 'too-slow') {
      throw connectFailed('The sign-in was not finished within ten minutes.', 'timed-out');
    }
    throw error;
  }
  deps.events.emit({ type: 'account-connected', appId: app.appId, accountId: account.id });
}
