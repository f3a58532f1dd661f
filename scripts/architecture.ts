/** A package of the repository: what it is for, and which packages it may import. */
export type Package = { path: string; purpose: string; mayImport: readonly string[] };

/** The libraries that programs use. */
const LIBRARIES = [
  'packages/text',
  'packages/contracts',
  'packages/bundle',
  'packages/permissions',
  'packages/validator',
  'packages/signing',
  'packages/log',
];

/** The allowed imports between packages. The architecture test enforces this table, and ARCHITECTURE.md prints it. */
export const PACKAGES: readonly Package[] = [
  {
    path: 'packages/text',
    purpose: 'untrusted text: look-alikes, hidden characters, escaping; numbers as text',
    mayImport: [],
  },
  {
    path: 'packages/contracts',
    purpose: 'the API contract: records, limits, errors, routes, OpenAPI',
    mayImport: ['packages/text'],
  },
  {
    path: 'packages/bundle',
    purpose: 'reads bundles safely, and packs folders reproducibly',
    mayImport: ['packages/contracts', 'packages/text'],
  },
  {
    path: 'packages/permissions',
    purpose:
      'the footprint of a manifest, the class of each field, and the changes between two versions, in words',
    mayImport: ['packages/contracts', 'packages/text'],
  },
  {
    path: 'packages/validator',
    purpose: 'the checks, one entry per code; also runs in a browser',
    mayImport: ['packages/contracts', 'packages/text', 'packages/bundle'],
  },
  {
    path: 'packages/signing',
    purpose: 'canonical JSON, signed facts, the revocation list, the chain of keys: sign and verify',
    mayImport: ['packages/contracts', 'packages/permissions'],
  },
  {
    path: 'packages/log',
    purpose: 'transparency logs in the formats of C2SP: tiles, checkpoints, proofs, cosignatures',
    mayImport: ['packages/contracts', 'packages/signing'],
  },
  {
    path: 'packages/attestation',
    purpose: 'verifies, without a network, which CI workflow built a bundle',
    mayImport: ['packages/contracts'],
  },
  {
    path: 'packages/ui',
    purpose: 'tokens, icons and components of every page, as CSS and for React; the script of the header',
    mayImport: ['packages/text', 'packages/contracts', 'packages/permissions'],
  },
  {
    path: 'packages/runtime',
    purpose: 'what a chat client embeds: install, accounts, calls, files, approvals, panels',
    mayImport: LIBRARIES,
  },
  {
    path: 'apps/store',
    purpose: 'the HTTP service',
    mayImport: [...LIBRARIES, 'packages/attestation', 'packages/runtime'],
  },
  {
    path: 'apps/cli',
    purpose: '`svc`: create, check, pack, publish and verify apps',
    mayImport: [...LIBRARIES, 'packages/attestation', 'packages/runtime'],
  },
  {
    path: 'apps/web',
    purpose: 'the pages of the store for publishers, moderators and administrators',
    mayImport: [
      'packages/contracts',
      'packages/text',
      'packages/bundle',
      'packages/permissions',
      'packages/validator',
      'packages/ui',
    ],
  },
  {
    path: 'apps/desktop',
    purpose: 'the reference client: a local web page, and a gateway for coding agents',
    mayImport: [
      'packages/contracts',
      'packages/text',
      'packages/bundle',
      'packages/permissions',
      'packages/runtime',
      'packages/ui',
    ],
  },
  {
    path: 'examples/pinboard',
    purpose: 'the example app: bundle, MCP server and sign-in; no program imports it',
    mayImport: ['packages/contracts', 'packages/bundle'],
  },
  {
    path: 'testkit',
    purpose: 'private: helpers for tests, not used by programs',
    mayImport: ['packages/contracts', 'packages/bundle'],
  },
];

/** Sources that must run in a browser: they may not use Node. */
export const NODE_FREE = [
  'packages/text/src',
  'packages/contracts/src',
  'packages/permissions/src',
  'packages/validator/src',
  'packages/bundle/src',
  'packages/ui/src',
  'apps/web/src',
  'apps/desktop/page/src',
  // The panel's side of the bridge and the client page's side, and the modules that they share with the runtime.
  'packages/runtime/src/panel-client.ts',
  'packages/runtime/src/panel-host.ts',
  'packages/runtime/src/page.ts',
  'packages/runtime/src/page/client',
  'packages/runtime/src/page/wire.ts',
  'packages/runtime/src/panels/client',
  'packages/runtime/src/panels/host',
  'packages/runtime/src/platform/token-bucket.ts',
  'packages/runtime/src/panels/bridge/messages.ts',
];

/** Exceptions: files with a browser counterpart, or with a separate entry for Node. */
export const NODE_EXCEPTIONS = [
  'packages/bundle/src/deflate/node.ts',
  'packages/validator/src/pictures/crc32/node.ts',
  'packages/bundle/src/folder.ts',
  'packages/bundle/src/folder/',
  'packages/bundle/src/private-files.ts',
];

/** The one source that creates files and folders of the programs, for their owner only. */
export const PRIVATE_FILES = 'packages/bundle/src/private-files.ts';

/** Further sources that may create files or folders, and why they need not or cannot use `PRIVATE_FILES`. */
export const CREATES_FILES: Readonly<Record<string, string>> = {
  'apps/cli/src/init/write-new.ts': 'writes the files of a new app, with the umask of the developer',
  'apps/cli/src/io/write-atomic.ts':
    'replaces files of the developer with their mode; sets the mode of others',
  'apps/store/src/composition/commands/mirror/mirror-target.ts': 'a mirror, which a web server reads',
  'packages/runtime/src/files/save-to-project.ts': 'saves files into the project of the user',
  'packages/runtime/src/library/library-storage.ts': 'writes synchronously, with mode 0600',
};

/** A layer of the store: folders under `apps/store/src` that may import each other, without a cycle, and the layers below. */
export type StoreLayer = { name: string; purpose: string; folders: readonly string[] };

/** The layers of the store, the lowest first. A folder includes its subfolders, unless they are listed separately. */
export const STORE_LAYERS: readonly StoreLayer[] = [
  {
    name: 'platform',
    purpose:
      'clock, ids, log, unit of work, cursors, rate limits, caches, ports of storage and drawing, metrics',
    folders: ['platform'],
  },
  {
    name: 'http',
    purpose: 'HTTP without a feature: bodies, cookies, ranges, compression, the frame of a page',
    folders: ['http'],
  },
  {
    name: 'domain',
    purpose: 'rows that several features share, and their rules',
    folders: [
      'core/domain/audit',
      'core/domain/brand',
      'core/domain/identity',
      'core/domain/mail',
      'core/domain/decisions',
      'core/domain/tools',
      'core/domain/trust',
      'core/domain/versions',
      'core/domain/listings',
      'core/domain/parts',
    ],
  },
  {
    name: 'access',
    purpose: 'who may do what: authentication, CSRF, binding of routes, the error envelope',
    folders: ['core/access'],
  },
  {
    name: 'features',
    purpose: 'the core: one folder per feature, with its use cases and routes',
    folders: [
      'core/audit',
      'core/catalog',
      'core/installs',
      'core/keys',
      'core/mail',
      'core/moderation',
      'core/operations',
      'core/people',
      'core/pictures',
      'core/policy',
      'core/publishers',
      'core/publishing',
      'core/relay',
      'core/render',
      'core/revocations',
      'core/tokens',
      'core/web',
    ],
  },
  {
    name: 'extensions',
    purpose: 'what a store can be run without; only `composition/extensions.ts` imports one',
    folders: [
      'extensions/appeals',
      'extensions/brand',
      'extensions/cases',
      'extensions/ci',
      'extensions/cli',
      'extensions/docs',
      'extensions/emergencies',
      'extensions/featured',
      'extensions/groups',
      'extensions/log',
      'extensions/managed',
      'extensions/upstreams',
      'extensions/feeds',
      'extensions/ratings',
      'extensions/recovery',
      'extensions/registry',
      'extensions/reports',
      'extensions/scim',
      'extensions/servers',
      'extensions/siem',
      'extensions/storefront',
      'extensions/transparency',
      'extensions/webhooks',
    ],
  },
  {
    name: 'adapters',
    purpose: 'databases, disk, S3, mail, websites, sign-in providers, worker threads',
    folders: ['adapters'],
  },
  {
    name: 'composition',
    purpose: 'settings, the commands of `svc-store`, and the wiring of all parts',
    folders: ['main.ts', 'composition'],
  },
];

/** Large libraries that the store seldom needs, and its modules that import them: they are loaded on demand, with `import()`. */
export const STORE_ON_DEMAND = {
  libraries: ['undici', 'jose', 'openid-client', 'nodemailer'],
  modules: [
    'adapters/mail/smtp-transport.ts',
    'adapters/sign-in/',
    'adapters/sites/public-connector.ts',
    'adapters/sites/read-site-file.ts',
    'extensions/ci/verify-id-token.ts',
  ],
};

/** Folders of the store that only its composition, its pages and the `routes.ts` of a feature may import. */
export const STORE_OUTSIDE = ['http', 'core/access', 'adapters', 'composition'];
