import { z } from 'zod';
import { HttpsUrl } from '../manifest/parts.ts';
import { PublisherSlug, Timestamp } from './common.ts';

/** What a developer token may do. */
export const TOKEN_SCOPES = ['publish:new', 'publish:update', 'yank', 'status'] as const;
export const TokenScope = z.enum(TOKEN_SCOPES);
export type TokenScope = z.infer<typeof TokenScope>;

/** How a token came to be: by device sign-in, by a person for themselves, or for a publisher's automation. */
export const TOKEN_KINDS = ['device', 'personal', 'ci'] as const;
export const TokenKind = z.enum(TOKEN_KINDS);
export type TokenKind = z.infer<typeof TokenKind>;

const PublisherName = z.string().trim().min(1).max(80);

/** A publisher as an administrator sees it. */
export const Publisher = z
  .object({
    slug: PublisherSlug,
    name: z.string(),
    website: z.string().optional(),
    verified: z.boolean(),
    suspended: z.boolean(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Publisher' });
export type Publisher = z.infer<typeof Publisher>;

/** Body that makes a publisher. */
export const NewPublisher = z
  .strictObject({
    slug: PublisherSlug,
    name: PublisherName,
    website: HttpsUrl.optional(),
    verified: z.boolean().optional(),
  })
  .meta({ id: 'NewPublisher' });
export type NewPublisher = z.infer<typeof NewPublisher>;

/** Body that changes a publisher. */
export const PublisherChange = z
  .strictObject({ verified: z.boolean().optional(), suspended: z.boolean().optional() })
  .refine((change) => Object.keys(change).length > 0, {
    error: 'Name at least one of verified and suspended.',
  })
  .meta({ id: 'PublisherChange' });
export type PublisherChange = z.infer<typeof PublisherChange>;

/** Body that asks for a developer token. */
export const NewToken = z
  .strictObject({
    publisher: PublisherSlug.describe('Publisher that the token acts for.'),
    scopes: z.array(TokenScope).min(1).optional().describe('All of them when left out.'),
  })
  .meta({ id: 'NewToken' });
export type NewToken = z.infer<typeof NewToken>;

/** A fresh developer token. It is shown once; the store keeps only its hash. */
export const IssuedToken = z
  .object({
    id: z.string().describe('Names the token where it must not be shown, as in the audit log.'),
    token: z.string(),
    publisher: PublisherSlug,
    scopes: z.array(TokenScope),
    expiresAt: Timestamp,
  })
  .meta({ id: 'IssuedToken' });
export type IssuedToken = z.infer<typeof IssuedToken>;

/** Body that changes an app. */
export const AppChange = z.strictObject({ suspended: z.boolean() }).meta({ id: 'AppChange' });
export type AppChange = z.infer<typeof AppChange>;

/** An app as an administrator sees it. */
export const AppRecord = z
  .object({ appId: z.string(), publisher: PublisherSlug, suspended: z.boolean() })
  .meta({ id: 'AppRecord' });
export type AppRecord = z.infer<typeof AppRecord>;
