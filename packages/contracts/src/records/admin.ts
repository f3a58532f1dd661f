import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { HttpsUrl } from '../manifest/parts.ts';
import { AppId, Direction, Note, PublisherSlug, Timestamp, VerifiedHost } from './common.ts';
import { refuseUnreadableName } from './plain-text.ts';

/** Name of a publisher. */
export const PublisherName = z.string().trim().min(1).max(80).superRefine(refuseUnreadableName);

/** A publisher as an administrator sees it. */
export const Publisher = z
  .object({
    slug: PublisherSlug,
    name: z.string(),
    website: z.string().optional(),
    verified: z.boolean(),
    verifiedHost: VerifiedHost,
    suspended: z.boolean(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Publisher' });
export type Publisher = z.infer<typeof Publisher>;

const MAX_A_PAGE = 100;

const YesOrNo = z.enum(['true', 'false']).transform((word) => word === 'true');

/** What lists that an administrator looks through are asked by. */
const listed = (what: string) => ({
  q: z.string().trim().max(80).optional().describe(`How ${what} begins.`),
  suspended: YesOrNo.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_A_PAGE)
    .default(MAX_A_PAGE)
    .describe('A page; 100 when left out.'),
  cursor: z.string().max(400).optional().describe('`nextCursor` of the page before.'),
});

const nextCursor = z.string().nullable().describe('Null on the last page.');

/** Which publishers; all conditions must hold. */
export const PublisherQuery = z.object({
  ...listed('the slug or the name'),
  verified: YesOrNo.optional(),
  sort: z
    .enum(['slug', 'name', 'created'])
    .default('slug')
    .describe('By the slug, by the name, or by when it was made.'),
  direction: Direction.default('asc'),
});
export type PublisherQuery = z.infer<typeof PublisherQuery>;

/** One page of publishers, in the order that was asked for. */
export const PublisherPage = z
  .object({ publishers: z.array(Publisher), nextCursor })
  .meta({ id: 'PublisherPage' });
export type PublisherPage = z.infer<typeof PublisherPage>;

/** A name that a verified publisher asks for. */
const NameRequest = z.object({
  publisher: Publisher.describe('As it is now; its old name stands until the decision.'),
  name: z.string().describe('The name it asks for.'),
  askedBy: z.string().describe('Id of the person who asks.'),
  askedAt: Timestamp,
});

/** Which names that wait for a decision. */
export const NameRequestQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_A_PAGE)
    .default(MAX_A_PAGE)
    .describe('A page; 100 when left out.'),
  cursor: z.string().max(400).optional().describe('`nextCursor` of the page before.'),
});

/** One page of the names that wait for a decision, by the slugs of their publishers. */
export const NameRequestPage = z
  .object({ requests: z.array(NameRequest), nextCursor })
  .meta({ id: 'NameRequestPage' });
export type NameRequestPage = z.infer<typeof NameRequestPage>;

const decidedName = z
  .string()
  .max(80)
  .describe('The name that is decided on: another that the publisher asked for meanwhile is not.');

/** Body that approves the new name of a publisher. */
export const NameApproval = z.strictObject({ name: decidedName }).meta({ id: 'NameApproval' });

/** Body that refuses the new name of a publisher. */
export const NameRefusal = z
  .strictObject({ name: decidedName, note: Note.describe('Why; the members of the publisher read it.') })
  .meta({ id: 'NameRefusal' });

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

/** Body that changes an app. */
export const AppChange = z.strictObject({ suspended: z.boolean() }).meta({ id: 'AppChange' });
export type AppChange = z.infer<typeof AppChange>;

/** An app as an administrator sees it. */
export const AppRecord = z
  .object({ appId: z.string(), publisher: PublisherSlug, suspended: z.boolean() })
  .meta({ id: 'AppRecord' });
export type AppRecord = z.infer<typeof AppRecord>;

/** Which apps; all conditions must hold. */
export const AppQuery = z.object({
  ...listed('the id, or the name in the newest upload,'),
  publisher: PublisherSlug.optional(),
  sort: z
    .enum(['id', 'publisher', 'created'])
    .default('id')
    .describe('By the id, by the slug of the publisher, or by when it was first uploaded.'),
  direction: Direction.default('asc'),
});
export type AppQuery = z.infer<typeof AppQuery>;

/** One page of apps. */
export const AppRecords = z
  .object({
    apps: z.array(
      AppRecord.extend({
        name: z.string().describe('Name in its newest upload; the id while there is none.'),
        createdAt: Timestamp.describe('When it was first uploaded.'),
      }).meta({
        id: 'NamedApp',
      }),
    ),
    nextCursor,
  })
  .meta({ id: 'AppRecords' });
export type AppRecords = z.infer<typeof AppRecords>;

/** The apps of the featured row, in its order. */
export const FeaturedApps = z
  .object({
    apps: z.array(
      z
        .object({
          appId: z.string(),
          name: z.string().describe('Name in its newest upload.'),
          publisher: z.string().describe('Name of its publisher.'),
          listed: z
            .boolean()
            .describe(
              'Whether the row shows it: an app that is suspended or has no published version is left out.',
            ),
        })
        .meta({ id: 'FeaturedApp' }),
    ),
  })
  .meta({ id: 'FeaturedApps' });
export type FeaturedApps = z.infer<typeof FeaturedApps>;

const appIds = z.array(AppId.max(LIMITS.manifest.id)).max(LIMITS.catalog.featured);

/** Body that sets the featured row. */
export const FeaturedChange = z
  .strictObject({
    apps: appIds
      .refine((ids) => new Set(ids).size === ids.length, { error: 'names an app twice' })
      .describe('Ids of the apps in their order; an empty list takes the row away.'),
    from: appIds
      .optional()
      .describe('The ids as you last read them: the change is refused when another was made meanwhile.'),
  })
  .meta({ id: 'FeaturedChange' });
export type FeaturedChange = z.infer<typeof FeaturedChange>;
