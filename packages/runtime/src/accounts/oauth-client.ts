import type { Account } from '@svc/contracts';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { InstalledApp } from '../library/installed-app.ts';
import type { System } from '../platform/system.ts';
import type { Vault } from '../vault/vault.ts';
import type { ClientDocuments } from './client-document.ts';
import type { AuthorizationServer } from './discovery/server-metadata.ts';
import { CLIENT_METHODS, entryAs, OAuthClient } from './grant.ts';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';
import { addressOf, objectIn, type Requests } from './requests.ts';

/** An OAuth client that the embedding program registered in advance. */
export type RegisteredClient = { clientId: string; clientSecret?: string };

/** The identity of the embedding program at authorization servers. */
export type ClientIdentity = {
  /** The client name that servers with dynamic registration show. */
  name: string;
  /** https URL of a client ID metadata document, for servers that support it. */
  documentUrl?: string;
  /** The pre-registered client of an issuer. */
  registered?: (issuer: string) => RegisteredClient | undefined;
};

type Deps = {
  vault: Vault;
  identity: ClientIdentity;
  system: Pick<System, 'now'>;
  documents: ClientDocuments;
};

/** The sign-in that a client is needed for. */
type Purpose = {
  app: InstalledApp;
  account: Account;
  server: AuthorizationServer;
  /** The store that relays the response, and its redirect URI. */
  store: string;
  redirectUri: string;
};

/** A stored registration (RFC 7591 section 3.2.1). */
const Registration = z.object({
  client: OAuthClient,
  /** Milliseconds since 1970; null: it does not expire. */
  expiresAt: z.number().nullable(),
  madeAt: z.number().default(0),
});
type Registration = z.infer<typeof Registration>;

/** Parses a stored registration; null when there is none, or it has another format. */
export const registrationIn = (text: string | null): Registration | null => entryAs(Registration, text);

const Text = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[ -~]+$/);

/** An optional text: an empty one counts as absent. */
const Optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? null : value), schema.nullish());

const RegistrationResponse = z.object({
  client_id: z.union([Text, z.number().transform(String)]),
  client_secret: Optional(Text),
  client_secret_expires_at: Optional(z.coerce.number().min(0)).catch(null),
  token_endpoint_auth_method: Optional(z.string().toLowerCase().pipe(z.enum(CLIENT_METHODS))),
});

const ErrorResponse = z.object({
  error: z.string(),
  error_description: z.string().optional().catch(undefined),
});

const entryName = (issuer: string, redirectUri: string) => ['client', issuer, redirectUri] as const;

/** The client authentication method. Prefers `none`: a native client cannot keep a secret (RFC 8252 section 8.5). */
function methodAt({ clientMethods }: AuthorizationServer): OAuthClient['method'] {
  if (clientMethods === null) return 'none';
  const method = CLIENT_METHODS.find((one) => clientMethods.includes(one));
  if (!method) throw new OAuthError('The sign-in server knows clients in no way that we do.');
  return method;
}

const withSecret = (id: string, secret: string | null, server: AuthorizationServer): OAuthClient => ({
  id,
  secret,
  method: methodOf(secret, secret === null ? 'none' : methodAt(server), server),
});

/**
 * A client with a secret must authenticate (RFC 6749 section 2.3.1): where nothing else was said, by a method that the server lists, else
 * by `client_secret_basic` (RFC 7591 section 2).
 */
function methodOf(
  secret: string | null,
  given: OAuthClient['method'],
  { clientMethods }: AuthorizationServer,
): OAuthClient['method'] {
  if (secret === null) return 'none';
  if (given !== 'none') return given;
  return (
    CLIENT_METHODS.find((one) => one !== 'none' && clientMethods?.includes(one)) ?? 'client_secret_basic'
  );
}

/** Registers a client, as a public client if the server allows it (RFC 7591 section 3). */
async function register(
  { identity, system }: Deps,
  requests: Requests,
  server: AuthorizationServer,
  redirectUri: string,
): Promise<Registration> {
  const method = methodAt(server);
  const registration_endpoint = server.registrationEndpoint ?? '';
  addressOf(registration_endpoint, requests.allowLoopback);
  const response = await oauth.dynamicClientRegistrationRequest(
    { issuer: server.issuer ?? '', registration_endpoint },
    {
      client_name: identity.name,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', ...(server.offersRefresh ? ['refresh_token'] : [])],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      // OpenID Connect registration section 2: only native clients may use http redirect URIs.
      application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
    },
    { [oauth.customFetch]: requests.read, [oauth.allowInsecureRequests]: requests.allowLoopback !== false },
  );
  const body = await objectIn(response);
  if (body === null && response.ok) throw new OAuthError('The registration is not a JSON object.');
  const refusal = ErrorResponse.safeParse(body);
  if (!response.ok && refusal.success) throw oauthErrorFrom(refusal.data, []);
  const { data } = RegistrationResponse.safeParse(body);
  if (!response.ok)
    throw new OAuthError(`The authorization server refused the registration (${response.status}).`);
  if (!data) throw new OAuthError('The authorization server sent an invalid registration.');
  const { client_id: id, client_secret, client_secret_expires_at: end } = data;
  const secret = client_secret ?? null;
  const client = { id, secret, method: methodOf(secret, data.token_endpoint_auth_method ?? method, server) };
  return { client, expiresAt: secret !== null && end ? end * 1000 : null, madeAt: system.now() };
}

/** The stored registration of a server, or a new one. */
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
 * The OAuth client for a server, in the order of the MCP authorization specification ("Client Registration"): pre-registered, a client
 * ID metadata document, dynamic registration, the manifest's `clientId`. A server whose endpoints a manifest declares offers only the last.
 * @throws OAuthError when no kind of registration works
 */
export async function clientFor(deps: Deps, requests: Requests, purpose: Purpose): Promise<OAuthClient> {
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

/** Deletes a registration, so that the next sign-in registers again. */
export async function deleteRegistration(
  { vault }: Pick<Deps, 'vault'>,
  issuer: string,
  redirectUri: string,
): Promise<void> {
  await vault.change(entryName(issuer, redirectUri), () => null);
}
