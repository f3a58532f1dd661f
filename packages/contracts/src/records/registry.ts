import { z } from 'zod';
import { named } from '../named.ts';
import { KeyId, MAX_INTEGER, optionalPageSize, Sha256, Signature, Timestamp } from './common.ts';
import { VersionOrigin } from './origins.ts';

/** Where the store's own facts stand in `_meta` of a server. */
export const REGISTRY_META = 'dev.svc.store/app';
export const OFFICIAL_META = 'io.modelcontextprotocol.registry/official';

/** Most servers on a page, and the number without `limit`. */
export const REGISTRY_PAGE = { most: 100, unset: 30 };

/** The policies of clients, as files. */
export const POLICY_FILES = [
  'allowed-mcp-servers.json',
  'marketplace.json',
  'claude-managed-settings.json',
  'codex-requirements.toml',
  'gemini-settings.json',
] as const;
export type PolicyFileName = (typeof POLICY_FILES)[number];

export const PolicyFile = z
  .enum([...POLICY_FILES, ...POLICY_FILES.map((file) => `${file}.sig` as const)])
  .describe('The file, or with `.sig` its signature.');

const Flag = z.enum(['true', 'false']);

/** Query of the list of servers (MCP registry API). A cursor carries the whole query. */
export const RegistryQuery = z.object({
  cursor: z
    .string()
    .max(2_000)
    .optional()
    .describe('`metadata.nextCursor` of the previous page. It carries the whole query.'),
  limit: optionalPageSize(
    MAX_INTEGER,
    `Servers per page; ${REGISTRY_PAGE.unset} by default, at most ${REGISTRY_PAGE.most}.`,
  ),
  search: z
    .string()
    .max(200)
    .optional()
    .describe('Searches name, publisher, description and tools, and returns latest versions.'),
  updated_since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Only versions that were published or yanked at or after this time.'),
  version: z.string().max(255).optional().describe('`latest`, or an exact version.'),
  include_deleted: Flag.optional().describe('Also yanked versions; always with `updated_since`.'),
});
export type RegistryQuery = z.infer<typeof RegistryQuery>;

export const RegistryVersionQuery = z.object({
  include_deleted: Flag.optional().describe('Also yanked versions.'),
});

const Facts = z.object({
  appId: z.string(),
  pageUrl: z.url(),
  bundleUrl: z.url(),
  sha256: Sha256,
  signature: Signature,
  keyId: KeyId,
  signedAt: Timestamp,
  grants: z.array(z.string()),
  domains: z.array(z.string()),
  accounts: z.array(z.string()).describe('Each account id, and `id:scope` for each scope.'),
  plainClient: z
    .boolean()
    .describe(
      'Whether an MCP client without svc can use the server: false for apps whose accounts only an svc client connects, which have no `remotes`.',
    ),
  notice: z.string(),
  origin: VersionOrigin.optional().describe(
    'The store that the version comes from, and what that store signed; absent for a version that was published here.',
  ),
});

const Server = z.object({
  name: z.string().describe('The id of the app, with a slash instead of its last dot.'),
  title: z.string(),
  description: z.string(),
  version: z.string(),
  websiteUrl: z.url(),
  icons: z.array(z.object({ src: z.url(), mimeType: z.literal('image/png') })).optional(),
  remotes: z.array(z.object({ type: z.literal('streamable-http'), url: z.url() })).optional(),
});

/** A version of an app, as the MCP registry API describes a server. */
export const RegistryServer = named.object('RegistryServer', {
  server: Server,
  _meta: z.object({
    [OFFICIAL_META]: z.object({
      status: z.enum(['active', 'deprecated', 'deleted']),
      statusMessage: z.string().max(500).optional(),
      statusChangedAt: Timestamp,
      publishedAt: Timestamp,
      updatedAt: Timestamp,
      isLatest: z.boolean(),
    }),
    [REGISTRY_META]: Facts,
  }),
});
export type RegistryServer = z.infer<typeof RegistryServer>;

export const RegistryServerList = named.object('RegistryServerList', {
  servers: z.array(RegistryServer),
  metadata: z.object({ count: z.int(), nextCursor: z.string().optional() }),
});
export type RegistryServerList = z.infer<typeof RegistryServerList>;

/** An id of an app as the name of a server, which has exactly one slash. `appIdOf` is its inverse. */
export const serverNameOf = (appId: string): string => appId.replace(/\.([^.]*)$/, '/$1');

/** The app of a server name; null for a name that no app has. */
export const appIdOf = (name: string): string | null =>
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\/[a-z0-9-]+$/.test(name) ? name.replace('/', '.') : null;
