import { z } from 'zod';
import { Sha256, Timestamp } from './common.ts';

const SortedStrings = z.array(z.string());

/** What an app may reach, as it is signed, listed and consented to. Lists are deduplicated and sorted by code unit. */
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

/** What an update may do beyond the version it replaces. */
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
    confirmRemoved: SortedStrings.describe('Tools that lose their approval card.'),
    toolAccountsChanged: SortedStrings.describe('Tools that carry another account, or none, than before.'),
    fileLimitsRaised: SortedStrings.describe('`tool.param` whose files may be larger or more.'),
    authEndpointsChanged: SortedStrings.describe('Accounts whose endpoints or client id change.'),
    mcpUrlChanged: z.boolean(),
    widens: z.boolean().describe('The update can reach more, or send tokens elsewhere: a person must look.'),
  })
  .meta({ id: 'PermissionDiff' });
export type PermissionDiff = z.infer<typeof PermissionDiff>;
