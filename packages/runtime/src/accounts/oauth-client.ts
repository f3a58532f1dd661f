import type { Account } from '@svc/contracts';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { InstalledApp } from '../library/installed-app.ts';
import type { System } from '../platform/system.ts';
import type { Vault } from '../vault/vault.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { ClientDocuments } from './client-document.ts';
import { CLIENT_METHODS, OAuthClient } from './grant.ts';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';
import { objectIn, type Requests } from './requests.ts';

/** A client that the program which embeds the runtime has registered at a sign-in server beforehand. */
export type RegisteredClient = { clientId: string; clientSecret?: string };

/** Who this program is to sign-in servers. */
export type ClientIdentity = {
  /** What people read on the page of a server that knows us by registration alone. */
  name: string;
  /** https address of the document that says who we are, for servers that take one in place of a registration. */
  documentUrl?: string;
  /** A client made beforehand for an issuer. */
  registered?: (issuer: string) => RegisteredClient | undefined;
};

type Deps = {
  vault: Vault;
  identity: ClientIdentity;
  system: Pick<System, 'now'>;
  documents: ClientDocuments;
};

/** What a client is for. */
type Purpose = {
  app: InstalledApp;
  account: Account;
  server: AuthorizationServer;
  /** The store that relays the answer, and the redirect URI there. */
  store: string;
  redirectUri: string;
};

/** A registration as it is kept (RFC 7591 section 3.2.1). */
const Registration = z.object({
  client: OAuthClient,
  /** Milliseconds since 1970; null is never. */
  expiresAt: z.number().nullable(),
  madeAt: z.number().default(0),
});
type Registration = z.infer<typeof Registration>;

/** A registration as the vault has it; null when there is none, or one of another shape. */
export const registrationIn = (text: string | null): Registration | null =>
  text === null ? null : (Registration.safeParse(JSON.parse(text)).data ?? null);

const Text = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[ -~]+$/);

const RegistrationResponse = z.object({
  client_id: Text,
  client_secret: Text.nullish(),
  client_secret_expires_at: z.number().min(0).nullish(),
  token_endpoint_auth_method: z.enum(CLIENT_METHODS).nullish(),
});

const ErrorResponse = z.object({
  error: z.string(),
  error_description: z.string().optional().catch(undefined),
});

const entryName = (issuer: string, redirectUri: string) => ['client', issuer, redirectUri] as const;

/** Without a secret where the server lets us: none is as safe as it is called on a computer of a user. */
function methodAt({ clientMethods }: AuthorizationServer): OAuthClient['method'] {
  if (clientMethods === null) return 'none';
  const method = CLIENT_METHODS.find((one) => clientMethods.includes(one));
  if (!method) throw new OAuthError('The sign-in server knows clients in no way that we do.');
  return method;
}

const withSecret = (id: string, secret: string | null, server: AuthorizationServer): OAuthClient => {
  const asked = secret === null ? 'none' : methodAt(server);
  // A client that has a secret says it (RFC 6749 section 2.3.1).
  return { id, secret, method: secret !== null && asked === 'none' ? 'client_secret_basic' : asked };
};

/** Registers us as a client that keeps no secret, if the server likes (RFC 7591 section 3). */
async function register(
  { identity, system }: Deps,
  requests: Requests,
  server: AuthorizationServer,
  redirectUri: string,
): Promise<Registration> {
  const method = methodAt(server);
  const response = await oauth.dynamicClientRegistrationRequest(
    { issuer: server.issuer ?? '', registration_endpoint: server.registrationEndpoint ?? '' },
    {
      client_name: identity.name,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      // OpenID Connect registration section 2: only a native one may be sent back to http.
      application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
    },
    { [oauth.customFetch]: requests.fetch, [oauth.allowInsecureRequests]: requests.allowLoopback !== false },
  );
  const body = await objectIn(response, 'The registration');
  const refusal = ErrorResponse.safeParse(body);
  if (!response.ok && refusal.success) throw oauthErrorFrom(refusal.data, []);
  const { data } = RegistrationResponse.safeParse(body);
  if (!response.ok || !data) throw new OAuthError('The sign-in server does not register us.');
  const { client_id: id, client_secret, client_secret_expires_at: end } = data;
  const secret = client_secret ?? null;
  const given = data.token_endpoint_auth_method ?? method;
  const client = { id, secret, method: secret === null ? ('none' as const) : given };
  return { client, expiresAt: secret !== null && end ? end * 1000 : null, madeAt: system.now() };
}

/** The registration that is kept for a server, or a new one, kept. */
async function registration(
  deps: Deps,
  requests: Requests,
  server: AuthorizationServer,
  redirectUri: string,
): Promise<OAuthClient> {
  const name = entryName(server.issuer ?? '', redirectUri);
  const present = registrationIn(await deps.vault.read(name));
  const now = deps.system.now();
  if (present && (present.expiresAt === null || now < present.expiresAt)) return present.client;
  const registered = await register(deps, requests, server, redirectUri);
  await deps.vault.change(name, () => JSON.stringify(registered));
  return registered.client;
}

const publicClient = (id: string): OAuthClient => ({ id, secret: null, method: 'none' });

/**
 * The client of a server that was found by asking, in the order of the MCP authorization specification ("Client Registration"):
 * registered by the embedding program beforehand, a client ID metadata document, dynamic registration, the manifest's `clientId`.
 */
async function discoveredClient(deps: Deps, requests: Requests, purpose: Purpose): Promise<OAuthClient> {
  const { account, server, redirectUri } = purpose;
  const known = server.issuer === null ? undefined : deps.identity.registered?.(server.issuer);
  if (known) return withSecret(known.clientId, known.clientSecret ?? null, server);
  const document = await deps.documents.find(purpose);
  if (document !== null) return publicClient(document);
  const { clientId } = account;
  if (server.registrationEndpoint !== null) {
    try {
      return await registration(deps, requests, server, redirectUri);
    } catch (error) {
      if (!(error instanceof OAuthError) || clientId === undefined) throw error;
    }
  }
  if (clientId !== undefined) return publicClient(clientId);
  throw new OAuthError('The authorization server registers no new clients, and the app has no client id.');
}

/**
 * Who we are to a server.
 * @throws OAuthError when there is no way
 */
export async function clientFor(deps: Deps, requests: Requests, purpose: Purpose): Promise<OAuthClient> {
  const { auth, clientId } = purpose.account;
  return auth === undefined && clientId !== undefined
    ? publicClient(clientId)
    : discoveredClient(deps, requests, purpose);
}

/** Forgets a registration, so that the next sign-in makes a new one: the server may have forgotten it too. */
export async function deleteRegistration(
  { vault }: Pick<Deps, 'vault'>,
  issuer: string,
  redirectUri: string,
): Promise<void> {
  await vault.change(entryName(issuer, redirectUri), () => null);
}
