import type { Account } from '@svc/contracts';
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi';
import { z } from 'zod';
import type { Loopback } from '../../network/connector.ts';
import { OAuthError } from '../oauth-error.ts';
import { addressOf, objectIn, type Requests } from '../requests.ts';

/** What a place has: a usable document, the fault of an unusable one, or nothing. */
type Found<T> = { usable: T } | { fault: OAuthError } | 'nothing' | { unanswered: OAuthError };

/** Runs a step, and returns its OAuthError; throws any other. */
async function caught<T, E>(work: () => T | Promise<T>, named: (error: OAuthError) => E): Promise<T | E> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) return named(error);
    throw error;
  }
}

/** Reads a document of a place; null for one of something else. @throws OAuthError for one that is not usable */
type Parse<T> = (body: Record<string, unknown>, place: string) => T | null;

async function readPlace<T>(
  requests: Pick<Requests, 'read'>,
  place: string,
  parse: Parse<T>,
): Promise<Found<T>> {
  const response = await caught(
    () => requests.read(place),
    (unanswered) => ({ unanswered }),
  );
  if ('unanswered' in response) return response;
  const body = response.status === 200 ? await objectIn(response) : null;
  if (body === null) return 'nothing';
  return caught<Found<T>, Found<T>>(
    () => {
      const usable = parse(body, place);
      return usable === null ? 'nothing' : { usable };
    },
    (fault) => ({ fault }),
  );
}

/**
 * Reads a document from the first of several places that has a usable one. What another place answers, an error, a page, a redirect to
 * another site, does not matter.
 * @returns null when no place has a document
 * @throws OAuthError the first one of `parse`, when there are documents, but none is usable; else that of a place that did not answer
 */
export async function firstUsable<T>(
  requests: Pick<Requests, 'read'>,
  places: readonly string[],
  parse: Parse<T>,
): Promise<T | null> {
  const others: Found<T>[] = [];
  for (const place of places) {
    const found = await readPlace(requests, place, parse);
    if (typeof found === 'object' && 'usable' in found) return found.usable;
    others.push(found);
  }
  for (const found of others) if (typeof found === 'object' && 'fault' in found) throw found.fault;
  for (const found of others) if (typeof found === 'object' && 'unanswered' in found) throw found.unanswered;
  return null;
}

/** Metadata of an authorization server (RFC 8414 section 2). */
export type AuthorizationServer = {
  /** Null when the manifest declares the endpoints. */
  issuer: string | null;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string | null;
  registrationEndpoint: string | null;
  /** Whether responses contain `iss` (RFC 9207 section 3). */
  supportsIss: boolean;
  /** Whether the client id may be the URL of a client ID metadata document. */
  supportsClientIdMetadata: boolean;
  /** Client authentication methods of the token endpoint; null when not published. */
  clientMethods: readonly string[] | null;
  /** Whether the server supports the scope `offline_access`, with which clients request refresh tokens. */
  offersOfflineAccess: boolean;
  /** Whether clients may register for refresh tokens; true when the server does not say. */
  offersRefresh: boolean;
};

/**
 * The authorization server whose endpoints a manifest declares.
 * @throws OAuthError when an endpoint is not allowed
 */
export function declaredServer(account: Account, allowLoopback: Loopback): AuthorizationServer {
  const { authorizeUrl = '', tokenUrl = '', revokeUrl } = account;
  for (const url of [authorizeUrl, tokenUrl, ...(revokeUrl === undefined ? [] : [revokeUrl])]) {
    addressOf(url, allowLoopback);
  }
  return {
    issuer: null,
    authorizationEndpoint: authorizeUrl,
    tokenEndpoint: tokenUrl,
    revocationEndpoint: revokeUrl ?? null,
    registrationEndpoint: null,
    supportsIss: false,
    supportsClientIdMetadata: false,
    clientMethods: null,
    offersOfflineAccess: false,
    offersRefresh: true,
  };
}

/** The token and revocation endpoints as oauth4webapi expects them. */
export function asServer(server: {
  issuer: string | null;
  tokenEndpoint: string;
  revocationEndpoint: string | null;
}): ServerMetadata {
  return {
    issuer: server.issuer ?? new URL(server.tokenEndpoint).origin,
    token_endpoint: server.tokenEndpoint,
    ...(server.revocationEndpoint !== null && { revocation_endpoint: server.revocationEndpoint }),
  };
}

const Address = z.string().max(2000);
/** An optional URL: an empty or malformed one counts as absent. */
const OptionalAddress = Address.min(1).nullish().catch(null);

/** The texts of a list, or of one text with spaces. Null when there are none: some servers send an empty list for an absent one. */
const wordsIn = (value: unknown): string[] | null => {
  const items: unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  const words = items.filter((item) => typeof item === 'string' && item !== '');
  return words.length > 0 ? (words as string[]) : null;
};
export const Words = z.unknown().optional().transform(wordsIn);
const Flag = z.boolean().nullish().catch(null);

/** RFC 8414 section 2; the fields of OpenID Connect Discovery are the same. */
const Metadata = z.object({
  issuer: Address,
  authorization_endpoint: Address,
  token_endpoint: Address,
  revocation_endpoint: OptionalAddress,
  registration_endpoint: OptionalAddress,
  code_challenge_methods_supported: Words,
  token_endpoint_auth_methods_supported: Words,
  grant_types_supported: Words,
  scopes_supported: Words,
  authorization_response_iss_parameter_supported: Flag,
  client_id_metadata_document_supported: Flag,
});

/**
 * Metadata URLs of an issuer, in the order of the MCP specification: RFC 8414 section 3.1, then OpenID Connect Discovery, in both forms;
 * last the place of early drafts of RFC 8414, which Okta documents.
 */
function metadataUrls(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
    `${path}/.well-known/oauth-authorization-server`,
  ];
  return [...new Set(places)].map((place) => new URL(place, issuer.origin).href);
}

/** The valid fields of metadata. @throws OAuthError when it is not that of the issuer */
function fieldsOf(body: Record<string, unknown>, issuer: URL): z.output<typeof Metadata> {
  const { data } = Metadata.safeParse(body);
  if (!data) throw new OAuthError(`The metadata of ${issuer.host} is invalid.`);
  // Prevents a server from impersonating another issuer (RFC 8414 section 3.3).
  if (URL.parse(data.issuer)?.href !== issuer.href) {
    throw new OAuthError(`The metadata of ${issuer.host} names another issuer.`, null, 'issuer');
  }
  return data;
}

/** An endpoint that clients can do without; null when it has no address that may be requested, such as one behind its proxy. */
function optional(endpoint: string | null | undefined, allowLoopback: Loopback): string | null {
  try {
    return endpoint == null ? null : addressOf(endpoint, allowLoopback) && endpoint;
  } catch (error) {
    if (error instanceof OAuthError) return null;
    throw error;
  }
}

function parse(body: Record<string, unknown>, issuer: URL, allowLoopback: Loopback): AuthorizationServer {
  const data = fieldsOf(body, issuer);
  const { authorization_endpoint, token_endpoint, registration_endpoint } = data;
  for (const url of [authorization_endpoint, token_endpoint]) addressOf(url, allowLoopback);
  // A server without PKCE support ignores the challenge, and accepts a stolen code.
  if (!data.code_challenge_methods_supported?.includes('S256')) {
    throw new OAuthError(`${issuer.host} does not support PKCE with S256, which is required.`, null, 'pkce');
  }
  return {
    issuer: data.issuer,
    authorizationEndpoint: authorization_endpoint,
    tokenEndpoint: token_endpoint,
    revocationEndpoint: optional(data.revocation_endpoint, allowLoopback),
    registrationEndpoint: registration_endpoint ?? null,
    supportsIss: data.authorization_response_iss_parameter_supported === true,
    supportsClientIdMetadata: data.client_id_metadata_document_supported === true,
    clientMethods: data.token_endpoint_auth_methods_supported,
    offersOfflineAccess: data.scopes_supported?.includes('offline_access') === true,
    offersRefresh: data.grant_types_supported?.includes('refresh_token') !== false,
  };
}

/** The URL of an issuer (RFC 8414 section 2). @throws OAuthError */
function issuerUrl(requests: Requests, issuer: string): URL {
  const url = addressOf(issuer, requests.allowLoopback);
  if (url.search !== '' || url.hash !== '') throw new OAuthError('A sign-in address is no issuer.');
  return url;
}

/**
 * Reads the metadata of an authorization server.
 * @param issuer the metadata must name the same issuer
 * @throws OAuthError
 */
export async function serverMetadata(requests: Requests, issuer: string): Promise<AuthorizationServer> {
  const url = issuerUrl(requests, issuer);
  const found = await firstUsable(requests, metadataUrls(url), (body) =>
    parse(body, url, requests.allowLoopback),
  );
  if (found) return found;
  throw new OAuthError(`${url.host} publishes no authorization server metadata.`);
}

/**
 * The endpoints that an issuer publishes, to compare them with those of a manifest.
 * @returns null when it publishes none
 */
export async function publishedEndpoints(
  requests: Requests,
  issuer: string,
): Promise<{ authorizationEndpoint: string; tokenEndpoint: string } | null> {
  try {
    const url = issuerUrl(requests, issuer);
    const found = await firstUsable(requests, metadataUrls(url), (body) => fieldsOf(body, url));
    return (
      found && { authorizationEndpoint: found.authorization_endpoint, tokenEndpoint: found.token_endpoint }
    );
  } catch (error) {
    if (error instanceof OAuthError) return null;
    throw error;
  }
}
