import { z } from 'zod';
import { MediaRequest } from '../manifest/contributes.ts';
import { Sha256, Timestamp } from './common.ts';

const SortedStrings = z.array(z.string());

/** The part of a footprint that is signed and listed. Lists are deduplicated and sorted by code unit. */
export const SignedFootprint = z.object({
  grants: SortedStrings,
  domains: SortedStrings.describe('Lower case, with the host of the MCP server.'),
  accounts: SortedStrings.describe('Each account id, and `id:scope` for each of its scopes.'),
});
export type SignedFootprint = z.infer<typeof SignedFootprint>;

/** The object whose canonical JSON a version's signature covers: exactly these keys. */
export const SignedFacts = z
  .strictObject({
    ...SignedFootprint.shape,
    appId: z.string(),
    version: z.string(),
    sha256: Sha256,
    publishedAt: Timestamp,
  })
  .meta({ id: 'SignedFacts' });
export type SignedFacts = z.infer<typeof SignedFacts>;

/** What one file argument of a tool takes. */
export const FileFootprint = z.object({
  param: z.string().describe('Name of the argument.'),
  accept: SortedStrings.nullable().describe('MIME types or `type/*`; null for any.'),
  multiple: z.boolean(),
  maxBytes: z.int().describe('Per file.'),
  prepare: MediaRequest.nullable().describe('Media operation run before the file is handed over.'),
});
export type FileFootprint = z.infer<typeof FileFootprint>;

/** What one tool may do. */
export const ToolFootprint = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  account: z.string().nullable().describe('Account whose token the calls carry.'),
  confirm: z
    .object({ title: z.string(), body: z.string().nullable(), action: z.string().nullable() })
    .nullable()
    .describe('The approval card; null when the tool runs without one.'),
  files: z.array(FileFootprint).describe('Sorted by `param`.'),
});
export type ToolFootprint = z.infer<typeof ToolFootprint>;

/** Where the user's credentials for one account go. */
export const AccountEndpoints = z.object({
  account: z.string().describe('Id of the account.'),
  label: z.string(),
  auth: z.enum(['mcp', 'declared']),
  authorizeUrl: z.string().nullable(),
  tokenUrl: z.string().nullable(),
  revokeUrl: z.string().nullable(),
  clientId: z.string().nullable(),
  params: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe('Extra parameters of the authorization request, sorted by name.'),
});
export type AccountEndpoints = z.infer<typeof AccountEndpoints>;

/** By what people recognise and judge an app. */
export const AppFace = z.object({
  name: z.string(),
  publisher: z.string(),
  author: z.string().nullable(),
  icon: Sha256.nullable().describe('Of the file; null when it is not known.'),
  mark: Sha256.nullable().describe('Of the file; null when there is none, or it is not known.'),
  permissions: SortedStrings.describe('What the app may do, in the words of its publisher.'),
});

/**
 * Everything about a version that a person agrees to: what the app may do, where data goes, and by what it is
 * recognised. All lists are deduplicated and sorted by code unit.
 */
export const Footprint = z
  .object({
    ...SignedFootprint.shape,
    mcpUrl: z.string(),
    requires: z.object({
      apps: SortedStrings.describe('Ids of the apps that it needs.'),
      connectors: z
        .array(z.object({ url: z.string(), required: z.boolean().describe('False for a fallback.') }))
        .describe('Sorted by `url`.'),
      providers: SortedStrings.nullable().describe('Chat providers that get its tools; null for all.'),
    }),
    tools: z.array(ToolFootprint).describe('Sorted by `id`.'),
    endpoints: z.array(AccountEndpoints).describe('Sorted by `account`.'),
    face: AppFace,
  })
  .meta({ id: 'Footprint' });
export type Footprint = z.infer<typeof Footprint>;

/**
 * A value of a manifest as a change tells it; null where a version has none. Any JSON, since a newer store may compare fields
 * of other types. Registered itself and not as a copy: it refers to itself, and the API document needs a name for that.
 */
export const ChangeValue = z
  .json()
  .register(z.globalRegistry, { id: 'ChangeValue', description: 'Any JSON value; null for none.' });
export type ChangeValue = z.infer<typeof ChangeValue>;

/** One difference between two versions of an app, outside of what anyone may change freely. */
export const Change = z
  .object({
    path: z
      .string()
      .describe(
        'JSON Pointer into the manifest. Entries of lists go by their id, their address or their value: `/accounts/mail/scopes/read`.',
      ),
    kind: z
      .enum(['reach', 'face'])
      .describe(
        '`reach`: what the app may do or where data goes. `face`: by what people recognise and judge it.',
      ),
    before: ChangeValue.describe('Value in the older version; null when it has none.'),
    after: ChangeValue.describe('Value in the newer version; null when it has none.'),
    widens: z.boolean().describe('The app may do more, or data goes elsewhere. False for every `face`.'),
  })
  .meta({ id: 'Change' });
export type Change = z.infer<typeof Change>;

/** What an update changes about what people agreed to. All other fields derive from `changes`. */
export const PermissionDiff = z
  .object({
    baseVersion: z.string().nullable().describe('The latest published version; null for the first.'),
    grantsAdded: SortedStrings,
    grantsRemoved: SortedStrings,
    domainsAdded: SortedStrings,
    domainsRemoved: SortedStrings,
    accountsAdded: SortedStrings.describe('`id` and `id:scope`.'),
    accountsRemoved: SortedStrings,
    fileParamsAdded: SortedStrings.describe('`tool.param`.'),
    fileParamsRemoved: SortedStrings,
    requiresAdded: SortedStrings.describe('App ids and connector addresses.'),
    requiresRemoved: SortedStrings,
    toolsAdded: SortedStrings,
    toolsRemoved: SortedStrings,
    toolsChanged: SortedStrings,
    confirmRemoved: SortedStrings.describe(
      'Tools that lose their approval card, also by giving way to a tool without one.',
    ),
    toolAccountsChanged: SortedStrings.describe('Tools that carry another account, or none, than before.'),
    fileLimitsRaised: SortedStrings.describe('`tool.param` whose files may be larger or more.'),
    authEndpointsChanged: SortedStrings.describe('Accounts whose endpoints or client id change.'),
    mcpUrlChanged: z.boolean(),
    widens: z.boolean().describe('The update may do more, or sends data elsewhere: a person must look.'),
    changes: z.array(Change).describe('Every difference that matters, `reach` first, each by its path.'),
  })
  .meta({ id: 'PermissionDiff' });
export type PermissionDiff = z.infer<typeof PermissionDiff>;
