import { z } from 'zod';
import { CATEGORIES, LIMITS, STORE_API_VERSION, STORE_GRANTS } from '../vocabulary.ts';
import { Contributes } from './contributes.ts';
import { Account, Branding, HttpsUrl, Remote, Requires, TEXT_CLASS } from './parts.ts';

export const Category = z.enum(CATEGORIES);
export type Category = z.infer<typeof Category>;

/** A well-formed manifest of a store app. The validator checks more than this schema. */
export const Manifest = z
  .object({
    $schema: z
      .string()
      .register(TEXT_CLASS, { text: 'unshown' })
      .optional()
      .describe('URL of this schema, for editors.'),
    pluginApiVersion: z.literal(STORE_API_VERSION).describe('Version of the manifest format.'),
    id: z
      .string()
      .max(LIMITS.manifest.id)
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
      .register(TEXT_CLASS, { text: 'format' })
      .describe('Reverse-DNS name in lower case. It cannot change after the first publication.'),
    name: z
      .string()
      .min(1)
      .max(LIMITS.manifest.name)
      .describe('Name of the app, for users. It must not be the name of the service.'),
    version: z
      .string()
      .register(TEXT_CLASS, { text: 'format' })
      .describe('Semantic version. Each upload needs a greater one.'),
    description: z
      .string()
      .min(1)
      .max(LIMITS.manifest.description)
      .register(TEXT_CLASS, { text: 'text' })
      .describe('Description of the app in one or two sentences.'),
    permissions: z
      .array(z.string().max(LIMITS.manifest.permission))
      .describe('What the app may do, in plain sentences. Every grant must be explained.'),
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
      .describe('Capabilities that the app requests from the client. Explain each one under `permissions`.'),
    accounts: z.array(Account).optional().describe('OAuth accounts that tools of the app need.'),
    categories: z
      .array(Category)
      .max(LIMITS.manifest.categories)
      .optional()
      .describe('Categories of the app in the catalogue.'),
    homepage: HttpsUrl.optional().describe('Web page of the app.'),
    support: z
      .string()
      .regex(/^(https:\/\/|mailto:)\S+$/)
      .optional()
      .describe('Where users find help: an `https:` or `mailto:` URL.'),
    author: z.string().optional().describe('Author of the app; shown on its page.'),
    platforms: z
      .array(z.enum(['darwin', 'win32', 'linux']))
      .min(1)
      .optional()
      .describe('Operating systems that the app supports; all by default.'),
    arch: z
      .array(z.enum(['x64', 'arm64']))
      .min(1)
      .optional()
      .describe('Processor architectures that the app supports; all by default.'),
    requires: Requires.optional(),
  })
  .meta({ id: 'Manifest', description: 'The manifest of a store app, `plugin.json`.' });
export type Manifest = z.infer<typeof Manifest>;
