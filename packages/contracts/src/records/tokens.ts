import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { PublisherSlug, Timestamp } from './common.ts';
import { MemberRole } from './people.ts';

/** What a developer token may do. */
export const TOKEN_SCOPES = ['publish:new', 'publish:update', 'yank', 'status', 'read'] as const;
export const TokenScope = z.enum(TOKEN_SCOPES);
export type TokenScope = z.infer<typeof TokenScope>;

/** How a token was created: by device sign-in, by a user for themselves, or for the automation of a publisher. */
export const TOKEN_KINDS = ['device', 'personal', 'ci'] as const;
export const TokenKind = z.enum(TOKEN_KINDS);
export type TokenKind = z.infer<typeof TokenKind>;

const Scopes = z.array(TokenScope);
const RequestedScopes = Scopes.min(1).optional().describe('All scopes by default.');

/** Path parameters of a token. */
export const TokenParam = z.object({ id: z.string().min(1).max(100).describe('Id of the token.') });

/** Request body that creates a developer token for the automation of a publisher. */
export const NewToken = named.strictObject('NewToken', {
  publisher: PublisherSlug.describe('Publisher that the token acts for.'),
  scopes: RequestedScopes,
});
export type NewToken = z.infer<typeof NewToken>;

/** A new developer token for automation. It is shown once; the store keeps only its hash. */
export const IssuedToken = named.object('IssuedToken', {
  id: z.string().describe('Id of the token, which is not secret; used in the audit log.'),
  token: z.string(),
  publisher: PublisherSlug,
  scopes: Scopes,
  expiresAt: Timestamp,
});
export type IssuedToken = z.infer<typeof IssuedToken>;

const { name, days } = LIMITS.tokens;

const requested = {
  name: z.string().trim().min(1).max(name).describe('Name of the token, for its owner.'),
  scopes: RequestedScopes,
  appId: z
    .string()
    .min(1)
    .max(LIMITS.manifest.id)
    .optional()
    .describe('Limits the token to this app, which does not have to be published yet.'),
  days: z.int().min(1).max(days.max).default(days.default).describe('Lifetime in days of 24 hours.'),
};

/** Request body that creates a token of a publisher. */
export const NewPublisherToken = named.strictObject('NewPublisherToken', requested);
export type NewPublisherToken = z.infer<typeof NewPublisherToken>;

/** Request body that creates a personal token. */
export const NewPersonalToken = named.strictObject('NewPersonalToken', {
  ...requested,
  publisher: PublisherSlug.optional().describe(
    'Limits the token to this publisher; by default, it acts for all publishers of the user.',
  ),
});
export type NewPersonalToken = z.infer<typeof NewPersonalToken>;

const described = {
  id: z.string().describe('Id of the token, which is not secret; used in the audit log.'),
  name: z.string(),
  kind: TokenKind,
  scopes: Scopes,
  publisher: PublisherSlug.optional().describe(
    'The only publisher that the token acts for; absent when it is not limited.',
  ),
  appId: z
    .string()
    .optional()
    .describe('The only app that the token may change; absent when it is not limited.'),
  expiresAt: Timestamp,
};

/** A developer token, for its owner. The store does not keep the token itself, so it cannot show it. */
export const Token = named.object('Token', {
  ...described,
  createdAt: Timestamp,
  lastUsedAt: Timestamp.optional().describe('When it was last used, to a few minutes.'),
});
export type Token = z.infer<typeof Token>;

/** A new developer token. It is shown once; the store keeps only its hash. */
export const FreshToken = named.object('FreshToken', { ...Token.shape, token: z.string() });
export type FreshToken = z.infer<typeof FreshToken>;

/** The valid tokens of a user or of a publisher, newest first. */
export const TokenList = named.object('TokenList', { tokens: z.array(Token) });
export type TokenList = z.infer<typeof TokenList>;

/** A valid developer token, for administrators. */
export const AccessToken = named.object('AccessToken', {
  ...Token.shape,
  ownedBy: z.string().nullable().describe('Name of the user who owns it; null for a token of the publisher.'),
  madeBy: z.string().nullable().describe('Name of the user who created it; null when automation did.'),
});
export type AccessToken = z.infer<typeof AccessToken>;

/** The valid tokens that a user owns or created, newest first. */
export const AccessTokens = named.object('AccessTokens', { tokens: z.array(AccessToken) });
export type AccessTokens = z.infer<typeof AccessTokens>;

/** A revoked token. */
export const RevokedToken = named.object('RevokedToken', { id: z.string(), revokedAt: Timestamp });
export type RevokedToken = z.infer<typeof RevokedToken>;

/** The caller, the token of the request, and the publishers that the caller acts for. */
export const WhoAmI = named.object('WhoAmI', {
  kind: z.enum(['automation', 'person', 'token']),
  person: z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }).optional(),
  token: z.object(described).optional().describe('The token of the request.'),
  publishers: z.array(
    z.object({ slug: PublisherSlug, name: z.string(), role: MemberRole, verified: z.boolean() }),
  ),
});
export type WhoAmI = z.infer<typeof WhoAmI>;
