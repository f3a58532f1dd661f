import { z } from 'zod';
import { CATEGORIES, LIMITS, STORE_API_VERSION, STORE_GRANTS } from '../vocabulary.ts';
import { Contributes } from './contributes.ts';
import { Account, Branding, HttpsUrl, Remote, Requires } from './parts.ts';

export const Category = z.enum(CATEGORIES);
export type Category = z.infer<typeof Category>;

/** The manifest of a store app, well formed. The validation codes check more than this shape. */
export const Manifest = z
  .object({
    $schema: z.string().optional().describe('Address of this schema, for editors.'),
    pluginApiVersion: z.literal(STORE_API_VERSION).describe('Version of the manifest format.'),
    id: z
      .string()
      .max(LIMITS.manifest.id)
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
      .describe('Reverse-DNS name in lower case. It cannot change after the first publication.'),
    name: z
      .string()
      .min(1)
      .max(LIMITS.manifest.name)
      .describe('What people read. Not the name of the service.'),
    version: z.string().describe('Semantic version; each upload needs a greater one.'),
    description: z.string().min(1).max(LIMITS.manifest.description).describe('One or two sentences.'),
    permissions: z
      .array(z.string().max(LIMITS.manifest.permission))
      .describe('What the app may do, in plain sentences; every grant must be explained.'),
    contributes: Contributes,
    publisher: z
      .string()
      .min(1)
      .max(LIMITS.manifest.publisher)
      .describe('Slug of the publisher in the store.'),
    remote: Remote,
    branding: Branding,
    grants: z
      .array(z.enum(STORE_GRANTS))
      .optional()
      .describe('What the client lets the app do; each asked for is explained under `permissions`.'),
    accounts: z.array(Account).optional().describe('OAuth accounts that tools of the app may need.'),
    categories: z
      .array(Category)
      .max(LIMITS.manifest.categories)
      .optional()
      .describe('Where the catalogue lists the app.'),
    homepage: HttpsUrl.optional().describe('Web page of the app.'),
    support: z
      .string()
      .regex(/^(https:\/\/|mailto:)\S+$/)
      .optional()
      .describe('Where users find help: an `https:` or a `mailto:` address.'),
    author: z.string().optional().describe('Who made it; shown on the page of the app.'),
    platforms: z
      .array(z.enum(['darwin', 'win32', 'linux']))
      .min(1)
      .optional()
      .describe('Systems the app works on; all when left out.'),
    arch: z
      .array(z.enum(['x64', 'arm64']))
      .min(1)
      .optional()
      .describe('Processors the app works on; all when left out.'),
    requires: Requires.optional(),
  })
  .meta({ id: 'Manifest', description: 'The manifest of a store app, `plugin.json`.' });
export type Manifest = z.infer<typeof Manifest>;
