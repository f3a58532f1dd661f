import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { PublisherSlug, Timestamp } from './common.ts';
import { MemberRole } from './people.ts';

/** What a developer token may do. */
export const TOKEN_SCOPES = ['publish:new', 'publish:update', 'yank', 'status', 'read'] as const;
export const TokenScope = z.enum(TOKEN_SCOPES);
export type TokenScope = z.infer<typeof TokenScope>;

/** How a token came to be: by device sign-in, by a person for themselves, or for a publisher's automation. */
export const TOKEN_KINDS = ['device', 'personal', 'ci'] as const;
export const TokenKind = z.enum(TOKEN_KINDS);
export type TokenKind = z.infer<typeof TokenKind>;

const Scopes = z.array(TokenScope);
const AskedScopes = Scopes.min(1).optional().describe('All of them when left out.');

/** Parameters of a path that names a token. */
export const TokenParam = z.object({ id: z.string().min(1).max(100).describe('Id of the token.') });

/** Body by which automation asks for a developer token of a publisher. */
export const NewToken = z
  .strictObject({
    publisher: PublisherSlug.describe('Publisher that the token acts for.'),
    scopes: AskedScopes,
  })
  .meta({ id: 'NewToken' });
export type NewToken = z.infer<typeof NewToken>;

/** A fresh developer token for automation. It is shown once; the store keeps only its hash. */
export const IssuedToken = z
  .object({
    id: z.string().describe('Names the token where it must not be shown, as in the audit log.'),
    token: z.string(),
    publisher: PublisherSlug,
    scopes: Scopes,
    expiresAt: Timestamp,
  })
  .meta({ id: 'IssuedToken' });
export type IssuedToken = z.infer<typeof IssuedToken>;

const { name, days } = LIMITS.tokens;

const asked = {
  name: z.string().trim().min(1).max(name).describe('What its owner calls it.'),
  scopes: AskedScopes,
  appId: z
    .string()
    .min(1)
    .max(LIMITS.manifest.id)
    .optional()
    .describe('The only app it may touch, which need not be published yet.'),
  days: z.int().min(1).max(days.most).default(days.usual).describe('How long it holds, in days of 24 hours.'),
};

/** Body by which the owner of a publisher asks for a token of the publisher's own. */
export const NewPublisherToken = z.strictObject(asked).meta({ id: 'NewPublisherToken' });
export type NewPublisherToken = z.infer<typeof NewPublisherToken>;

/** Body by which a person asks for a token of their own. */
export const NewPersonalToken = z
  .strictObject({
    ...asked,
    publisher: PublisherSlug.optional().describe(
      'The only publisher it acts for; all that its person acts for when left out.',
    ),
  })
  .meta({ id: 'NewPersonalToken' });
export type NewPersonalToken = z.infer<typeof NewPersonalToken>;

const described = {
  id: z.string().describe('Names the token where it must not be shown, as in the audit log.'),
  name: z.string(),
  kind: TokenKind,
  scopes: Scopes,
  publisher: PublisherSlug.optional().describe('The only publisher it acts for.'),
  appId: z.string().optional().describe('The only app it may touch.'),
  expiresAt: Timestamp,
};

/** A developer token as its owner sees it. No part of the token itself is kept, so none is shown. */
export const Token = z
  .object({
    ...described,
    createdAt: Timestamp,
    lastUsedAt: Timestamp.optional().describe('When it was used last, to a few minutes.'),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

/** A fresh developer token. It is shown once; the store keeps only its hash. */
export const FreshToken = z.object({ ...Token.shape, token: z.string() }).meta({ id: 'FreshToken' });
export type FreshToken = z.infer<typeof FreshToken>;

/** The tokens of a person, or of a publisher, that hold: the newest first. */
export const TokenList = z.object({ tokens: z.array(Token) }).meta({ id: 'TokenList' });
export type TokenList = z.infer<typeof TokenList>;

/** A token that is worth nothing from now on. */
export const RevokedToken = z.object({ id: z.string(), revokedAt: Timestamp }).meta({ id: 'RevokedToken' });
export type RevokedToken = z.infer<typeof RevokedToken>;

/** Who is calling, by what, and for which publishers they act. */
export const WhoAmI = z
  .object({
    kind: z.enum(['automation', 'person', 'token']),
    person: z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }).optional(),
    token: z.object(described).optional().describe('The token that was shown.'),
    publishers: z.array(
      z.object({ slug: PublisherSlug, name: z.string(), role: MemberRole, verified: z.boolean() }),
    ),
  })
  .meta({ id: 'WhoAmI' });
export type WhoAmI = z.infer<typeof WhoAmI>;
