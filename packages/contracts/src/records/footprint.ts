import { z } from 'zod';
import { MediaRequest } from '../manifest/contributes.ts';
import { named } from '../named.ts';
import { Sha256, Timestamp } from './common.ts';

const SortedStrings = z.array(z.string());

/** The part of a footprint that is signed and listed. Lists are deduplicated and sorted by code unit. */
export const SignedFootprint = z.object({
  grants: SortedStrings,
  domains: SortedStrings.describe('Lower case, including the host of the MCP server.'),
  accounts: SortedStrings.describe('Each account id, and `id:scope` for each of its scopes.'),
});
export type SignedFootprint = z.infer<typeof SignedFootprint>;

/** The object that the signature of a version covers, as canonical JSON: exactly these keys. */
export const SignedFacts = named.strictObject('SignedFacts', {
  ...SignedFootprint.shape,
  appId: z.string(),
  version: z.string(),
  sha256: Sha256,
  publishedAt: Timestamp,
});
export type SignedFacts = z.infer<typeof SignedFacts>;

/** Which files an argument of a tool accepts. */
export const FileFootprint = z.object({
  param: z.string().describe('Name of the argument.'),
  accept: SortedStrings.nullable().describe('MIME types or `type/*`; null for any.'),
  multiple: z.boolean(),
  maxBytes: z.int().describe('Per file.'),
  prepare: MediaRequest.nullable().describe('Media operation that runs before the file is sent.'),
});
export type FileFootprint = z.infer<typeof FileFootprint>;

/** What one tool may do. */
export const ToolFootprint = z.object({
  id: z.string(),
  remoteName: z.string().optional().describe('Name on the MCP server, where it is not `id`.'),
  name: z.string(),
  description: z.string(),
  account: z.string().nullable().describe('Account whose token is sent with each call.'),
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

/** How users recognise an app. */
export const AppFace = z.object({
  name: z.string(),
  publisher: z.string(),
  author: z.string().nullable(),
  icon: Sha256.nullable().describe('SHA-256 of the file; null when it is not known.'),
  mark: Sha256.nullable().describe('SHA-256 of the file; null when there is none or it is not known.'),
  permissions: SortedStrings.describe('The permissions as the publisher describes them.'),
});

/**
 * Everything about a version that a user agrees to: what the app may do, where data goes, and how the app is
 * recognised. All lists are deduplicated and sorted by code unit.
 */
export const Footprint = named.object('Footprint', {
  ...SignedFootprint.shape,
  mcpUrl: z.string(),
  requires: z.object({
    apps: SortedStrings.describe('Ids of the apps that the app needs.'),
    connectors: z
      .array(
        z.object({
          url: z.string(),
          required: z.boolean().describe('False for a connector that is only a fallback.'),
        }),
      )
      .describe('Sorted by `url`.'),
    providers: SortedStrings.nullable().describe('Chat providers that may use the tools; null for all.'),
  }),
  tools: z.array(ToolFootprint).describe('Sorted by `id`.'),
  endpoints: z.array(AccountEndpoints).describe('Sorted by `account`.'),
  face: AppFace,
});
export type Footprint = z.infer<typeof Footprint>;

/**
 * A value of a manifest field in a change; null where a version has none. Any JSON, because a newer store may compare fields
 * of other types. The schema itself is registered, not a copy: it is recursive, and the OpenAPI document needs a name for that.
 */
export const ChangeValue = z
  .json()
  .register(z.globalRegistry, { id: 'ChangeValue', description: 'Any JSON value; null when there is none.' });
export type ChangeValue = z.infer<typeof ChangeValue>;

/** A difference between two versions of an app in a field that users agree to. */
export const Change = named.object('Change', {
  path: z
    .string()
    .describe(
      'JSON Pointer into the manifest. A list entry is named by its id, URL or value: `/accounts/mail/scopes/read`.',
    ),
  kind: z
    .enum(['reach', 'face', 'instructions'])
    .describe(
      '`reach`: what the app may do or where data goes. `face`: how users recognise the app. `instructions`: what steers an agent: its tools, their names and descriptions.',
    ),
  before: ChangeValue.describe('Value in the older version; null when it has none.'),
  after: ChangeValue.describe('Value in the newer version; null when it has none.'),
  widens: z
    .boolean()
    .describe(
      'Whether the change adds permissions: the app may do more, or data goes to other servers. Always false for `face` and `instructions`.',
    ),
});
export type Change = z.infer<typeof Change>;

/** How an update changes what users agreed to. All other fields are derived from `changes`. */
export const PermissionDiff = named.object('PermissionDiff', {
  baseVersion: z.string().nullable().describe('The latest published version; null for the first version.'),
  grantsAdded: SortedStrings,
  grantsRemoved: SortedStrings,
  domainsAdded: SortedStrings,
  domainsRemoved: SortedStrings,
  accountsAdded: SortedStrings.describe('Account ids, and `id:scope` for scopes.'),
  accountsRemoved: SortedStrings,
  fileParamsAdded: SortedStrings.describe('`tool.param`.'),
  fileParamsRemoved: SortedStrings,
  requiresAdded: SortedStrings.describe('App ids and connector URLs.'),
  requiresRemoved: SortedStrings,
  toolsAdded: SortedStrings,
  toolsRemoved: SortedStrings,
  toolsChanged: SortedStrings,
  confirmRemoved: SortedStrings.describe(
    'Tools that lose their approval card, or are replaced by a tool without one.',
  ),
  toolAccountsChanged: SortedStrings.describe('Tools that use another account than before, or none.'),
  fileLimitsRaised: SortedStrings.describe('`tool.param` that accepts larger or more files.'),
  authEndpointsChanged: SortedStrings.describe('Accounts with other endpoints or another client id.'),
  mcpUrlChanged: z.boolean(),
  widens: z.boolean().describe('Whether the update adds permissions and must be reviewed by a moderator.'),
  changes: z.array(Change).describe('All differences, `reach` before `face`, sorted by path.'),
});
export type PermissionDiff = z.infer<typeof PermissionDiff>;
