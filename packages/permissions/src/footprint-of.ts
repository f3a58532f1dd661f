import type {
  Account,
  AccountEndpoints,
  FileFootprint,
  FileRule,
  Footprint,
  Manifest,
  SignedFootprint,
  Tool,
  ToolFootprint,
} from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';

/** The default sort compares UTF-16 code units, as the contract requires. */
const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].sort();

const byKey = <T>(items: readonly T[], keyOf: (item: T) => string): T[] =>
  [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));

/** Sorts keys, so that equal requests have equal JSON. */
const sortedKeys = <T extends object>(value: T): T =>
  Object.fromEntries(byKey(Object.entries(value), ([key]) => key)) as T;

const accountEntries = ({ id, scopes }: Account): string[] => [
  id,
  ...scopes.map((scope) => `${id}:${scope}`),
];

/** With `auth: 'mcp'` the endpoints in the manifest are ignored, so they are not part of the footprint. */
function endpointsOf(account: Account): AccountEndpoints {
  const declared = account.auth === undefined;
  return {
    account: account.id,
    label: account.label,
    auth: declared ? 'declared' : 'mcp',
    authorizeUrl: (declared && account.authorizeUrl) || null,
    tokenUrl: (declared && account.tokenUrl) || null,
    revokeUrl: account.revokeUrl ?? null,
    clientId: account.clientId ?? null,
    params: byKey(
      Object.entries(account.params ?? {}).map(([name, value]) => ({ name, value })),
      ({ name }) => name,
    ),
  };
}

const fileFootprint = ([param, rule]: [string, FileRule]): FileFootprint => ({
  param,
  accept: rule.accept ? sortedSet(rule.accept.map((type) => type.toLowerCase())) : null,
  multiple: rule.multiple ?? false,
  maxBytes: rule.maxBytes ?? LIMITS.file.defaultBytes,
  prepare: rule.prepare ? sortedKeys(rule.prepare) : null,
});

const toolFootprint = ({
  id,
  remoteName,
  name,
  description,
  account,
  confirm,
  files,
}: Tool): ToolFootprint => ({
  id,
  ...(remoteName !== undefined && remoteName !== id && { remoteName }),
  name,
  description,
  account: account ?? null,
  confirm: confirm
    ? { title: confirm.title, body: confirm.body ?? null, action: confirm.action ?? null }
    : null,
  files: byKey(Object.entries(files ?? {}).map(fileFootprint), ({ param }) => param),
});

/** The part of a footprint that is signed, listed in the catalog, and checked when a bundle is verified. */
export function signedFootprintOf({ grants, remote, accounts }: Manifest): SignedFootprint {
  const hosts = [new URL(remote.mcpUrl).hostname, ...remote.domains];
  return {
    grants: sortedSet(grants ?? []),
    // An app that is not on a network, such as a built-in one, has a URL without a host.
    domains: sortedSet(hosts.filter((host) => host !== '').map((host) => host.toLowerCase())),
    accounts: sortedSet((accounts ?? []).flatMap(accountEntries)),
  };
}

/**
 * Computes everything about a version that a user agrees to. The store, the install dialog and the runtime use
 * this same value, so that they cannot disagree.
 * @param manifest a manifest without validation errors
 * @param hashOf hex SHA-256 of a file of the bundle by its path; null when it is not known, as for a developer's folder
 */
export function footprintOf(
  manifest: Manifest,
  hashOf: (path: string) => string | null = () => null,
): Footprint {
  const { branding, requires = {}, contributes, accounts = [] } = manifest;
  return {
    ...signedFootprintOf(manifest),
    mcpUrl: manifest.remote.mcpUrl,
    requires: {
      apps: sortedSet((requires.apps ?? []).map(({ id }) => id)),
      connectors: byKey(
        (requires.connectors ?? []).map(({ url, required = false }) => ({ url, required })),
        ({ url }) => url,
      ),
      providers: requires.providers ? sortedSet(requires.providers) : null,
    },
    tools: byKey((contributes.tools ?? []).map(toolFootprint), ({ id }) => id),
    endpoints: byKey(accounts.map(endpointsOf), ({ account }) => account),
    face: {
      name: manifest.name,
      publisher: manifest.publisher,
      author: manifest.author ?? null,
      icon: hashOf(branding.icon),
      mark: branding.mark === undefined ? null : hashOf(branding.mark),
      permissions: sortedSet(manifest.permissions),
    },
  };
}
