import { z } from 'zod';
import { HttpsUrl } from '../manifest/parts.ts';
import { PublisherSlug, Timestamp } from './common.ts';

/** Name of a publisher. */
export const PublisherName = z.string().trim().min(1).max(80);

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

/** Body that changes an app. */
export const AppChange = z.strictObject({ suspended: z.boolean() }).meta({ id: 'AppChange' });
export type AppChange = z.infer<typeof AppChange>;

/** An app as an administrator sees it. */
export const AppRecord = z
  .object({ appId: z.string(), publisher: PublisherSlug, suspended: z.boolean() })
  .meta({ id: 'AppRecord' });
export type AppRecord = z.infer<typeof AppRecord>;
