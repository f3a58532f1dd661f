import { z } from 'zod';

/** How we say who we are at a token endpoint (RFC 6749 section 2.3, RFC 8414 section 2). */
export const CLIENT_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** Who we are to a sign-in server. A secret is there only when that server made it for us, which makes it no secret of the app. */
export const OAuthClient = z.object({
  id: z.string(),
  secret: z.string().nullable(),
  method: z.enum(CLIENT_METHODS),
});
export type OAuthClient = z.infer<typeof OAuthClient>;

/** What a person granted: tokens, and all that is needed to renew and to revoke them. Times are milliseconds since 1970. */
export const Grant = z.object({
  /** See `bindingOf`. */
  binding: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  issuedAt: z.number(),
  /** Null: until the app's server refuses it. */
  expiresAt: z.number().nullable(),
  /** What was asked for; null leaves it to the server. */
  asked: z.array(z.string()).nullable(),
  /** What the server says it granted; null when it does not say. */
  granted: z.array(z.string()).nullable(),
  server: z.object({
    issuer: z.string().nullable(),
    tokenEndpoint: z.string(),
    revocationEndpoint: z.string().nullable(),
  }),
  client: OAuthClient,
  /** Whom the tokens are for (RFC 8707). */
  resource: z.string().nullable(),
  connectedAt: z.number(),
  /** What the app might reach on this machine when it was connected: the servers of the grant may be there. */
  loopback: z.union([z.boolean(), z.array(z.string())]).default(false),
});
export type Grant = z.infer<typeof Grant>;

/** How long before its end a token is renewed. One with a short life is used for half of it at least. */
const LEAD_MS = 60_000;

/** Whether the token may still be taken for good. */
export const isValid = ({ expiresAt }: Grant, now: number): boolean => expiresAt === null || now < expiresAt;

/** Whether the token is good for long enough to call with it. */
export const isFresh = ({ issuedAt, expiresAt }: Grant, now: number): boolean =>
  expiresAt === null || now < expiresAt - Math.min(LEAD_MS, (expiresAt - issuedAt) / 2);
