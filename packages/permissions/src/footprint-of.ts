import { type Account, LIMITS, type Manifest, type Tool } from '@svc/contracts';
import type { AuthEndpoints, FileReach, Footprint, ToolReach } from './footprint.ts';

/** Default sort compares UTF-16 code units, which is the order the contract asks for. */
const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].sort();

const accountEntries = ({ id, scopes }: Account): string[] => [
  id,
  ...scopes.map((scope) => `${id}:${scope}`),
];

/** With `auth: 'mcp'` the endpoints in the manifest are ignored, so they do not count as the app's reach either. */
const endpointsOf = (account: Account): AuthEndpoints => {
  const declared = account.auth === undefined;
  return {
    auth: declared ? 'declared' : 'mcp',
    authorizeUrl: (declared && account.authorizeUrl) || null,
    tokenUrl: (declared && account.tokenUrl) || null,
    revokeUrl: account.revokeUrl ?? null,
    clientId: account.clientId ?? null,
  };
};

const toolReach = (tool: Tool): ToolReach => ({
  account: tool.account ?? null,
  confirms: tool.confirm !== undefined,
  wording: JSON.stringify([tool.name, tool.description, tool.confirm ?? null, tool.files ?? null]),
});

const fileReaches = (tools: readonly Tool[]): [string, FileReach][] =>
  tools.flatMap((tool) =>
    Object.entries(tool.files ?? {}).map(([param, rule]): [string, FileReach] => [
      `${tool.id}.${param}`,
      { maxBytes: rule.maxBytes ?? LIMITS.file.defaultBytes, multiple: rule.multiple ?? false },
    ]),
  );

/**
 * Computes what an app may reach from its manifest. The signer, the comparison of versions, the catalogue, the install
 * sheet and the verifier all read this one value, so that they cannot disagree.
 * @param manifest a manifest without validation errors
 */
export function footprintOf(manifest: Manifest): Footprint {
  const tools = manifest.contributes.tools ?? [];
  const accounts = manifest.accounts ?? [];
  const { apps = [], connectors = [] } = manifest.requires ?? {};
  const hosts = [new URL(manifest.remote.mcpUrl).hostname, ...manifest.remote.domains];
  return {
    grants: sortedSet(manifest.grants ?? []),
    domains: sortedSet(hosts.map((host) => host.toLowerCase())),
    accounts: sortedSet(accounts.flatMap(accountEntries)),
    mcpUrl: manifest.remote.mcpUrl,
    requires: sortedSet([...apps.map(({ id }) => id), ...connectors.map(({ url }) => url)]),
    fileParams: new Map(fileReaches(tools)),
    tools: new Map(tools.map((tool) => [tool.id, toolReach(tool)])),
    endpoints: new Map(accounts.map((account) => [account.id, endpointsOf(account)])),
  };
}
