import type { Account } from '@svc/contracts';
import { z } from 'zod';
import type { AppSource, InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Supported client authentication methods of token endpoints (RFC 6749 section 2.3, RFC 8414 section 2). */
export const CLIENT_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The OAuth client at an authorization server. It has a secret only if the server issued one during registration. */
export const OAuthClient = z.object({
  id: z.string(),
  secret: z.string().nullable(),
  method: z.enum(CLIENT_METHODS),
});
export type OAuthClient = z.infer<typeof OAuthClient>;

/** What may be reached on this machine, as it is kept. */
export const LoopbackShape = z.union([
  z.boolean(),
  z.array(z.string()).readonly(),
  z.object({ exceptPorts: z.array(z.string()).readonly() }),
]);

/** A grant of the user: tokens, and what is needed to renew and revoke them. Times are milliseconds since 1970. */
export const Grant = z.object({
  /** See `bindingOf`. */
  binding: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  issuedAt: z.number(),
  /** Null: the token is used until the app's server refuses it. */
  expiresAt: z.number().nullable(),
  /** Requested scopes; null leaves them to the server. */
  asked: z.array(z.string()).nullable(),
  /** Granted scopes; null when the server does not name them. */
  granted: z.array(z.string()).nullable(),
  server: z.object({
    issuer: z.string().nullable(),
    tokenEndpoint: z.string(),
    revocationEndpoint: z.string().nullable(),
  }),
  client: OAuthClient,
  /** The resource indicator of the tokens (RFC 8707). */
  resource: z.string().nullable(),
  connectedAt: z.number(),
  /** The URL of the resource metadata that named the server, if it is at no well-known place. */
  metadataUrl: z.exactOptional(z.string()),
  /** Who signed in, as the server names that account. */
  holder: z.exactOptional(z.string()),
  /** What the app could reach on this machine when it was connected: its authorization server may be there. */
  loopback: LoopbackShape.default(false),
});
export type Grant = z.infer<typeof Grant>;

/** Reads an entry of the vault; null when there is none, or it has the format of another version of this program. */
export const entryAs = <T>(schema: z.ZodType<T>, text: string | null): T | null =>
  text === null ? null : (schema.safeParse(JSON.parse(text)).data ?? null);

/** How long before expiry a token is renewed; a short-lived token is used for at least half of its lifetime. */
const LEAD_MS = 60_000;

/** Whether the token has not expired. */
export const isValid = ({ expiresAt }: Grant, now: number): boolean => expiresAt === null || now < expiresAt;

/** Whether the token is valid for long enough to make a call. */
export const isFresh = ({ issuedAt, expiresAt }: Grant, now: number): boolean =>
  expiresAt === null || now < expiresAt - Math.min(LEAD_MS, (expiresAt - issuedAt) / 2);

/** The status of an account of an app. It contains no token. */
export type AccountStatus = {
  id: string;
  label: string;
  required: boolean;
  connected: boolean;
  /** Who signed in, as the server names that account, if it does. */
  holder?: string;
  /** When the access token expires (ISO 8601); it is renewed earlier where possible. Null: unknown, or not connected. */
  expiresAt: string | null;
  /** Granted scopes; the requested ones if the server does not name them. */
  scopes: readonly string[];
  /** Host of the authorization server; null when unknown. */
  host: string | null;
  /** A sign-in of this process is waiting for the user: it can be reopened or cancelled. */
  signingIn: boolean;
  /** The digits to type on the callback page of that sign-in, if it asks for them; null as long as it need not. */
  digits: string | null;
};

/** Computes the status of an account from its grant. */
export function statusOf(
  account: Account,
  grant: Grant | null,
  now: number,
): Omit<AccountStatus, 'signingIn' | 'digits'> {
  const connected = grant !== null && (isValid(grant, now) || grant.refreshToken !== null);
  const server = (connected && (grant.server.issuer ?? grant.server.tokenEndpoint)) || account.tokenUrl;
  const expiresAt = connected ? grant.expiresAt : null;
  return {
    id: account.id,
    label: account.label,
    required: account.required ?? false,
    connected,
    ...(connected && grant.holder !== undefined && { holder: grant.holder }),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    scopes: connected ? (grant.granted ?? grant.asked ?? []) : account.scopes,
    host: (server !== undefined && URL.parse(server)?.host) || null,
  };
}

/**
 * The account that an app declares.
 * @throws RuntimeError unknown-account
 */
export function accountOf({ manifest }: InstalledApp, accountId: string): Account {
  const account = manifest.accounts?.find(({ id }) => id === accountId);
  if (!account) throw new RuntimeError('unknown-account');
  return account;
}

/** Identifies the source of an app; it stays the same when the app is updated. */
function originOf(source: AppSource): string {
  if (source.kind === 'store') return source.store;
  if (source.kind === 'developer') return source.folder;
  return source.kind === 'connector' ? source.url : '';
}

/**
 * Binds a grant to an app, its source and its authorization servers, as text. An update that names other servers, or a developer
 * folder with the id of a store app, cannot use earlier grants.
 */
export function bindingOf({ source, manifest }: InstalledApp, account: Account): string {
  const endpoints =
    account.auth === 'mcp' ? [manifest.remote.mcpUrl] : [account.authorizeUrl, account.tokenUrl];
  const parts = [source.kind, originOf(source), account.auth ?? null, ...endpoints, account.clientId ?? null];
  return JSON.stringify(parts);
}
