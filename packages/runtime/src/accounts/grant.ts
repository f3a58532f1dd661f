import { z } from 'zod';

/** Supported client authentication methods of token endpoints (RFC 6749 section 2.3, RFC 8414 section 2). */
export const CLIENT_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The OAuth client at an authorization server. It has a secret only if the server issued one during registration. */
export const OAuthClient = z.object({
  id: z.string(),
  secret: z.string().nullable(),
  method: z.enum(CLIENT_METHODS),
});
export type OAuthClient = z.infer<typeof OAuthClient>;

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
  /** Who signed in, as the server names that account. */
  holder: z.exactOptional(z.string()),
  /** What the app could reach on this machine when it was connected: its authorization server may be there. */
  loopback: z.union([z.boolean(), z.array(z.string())]).default(false),
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
