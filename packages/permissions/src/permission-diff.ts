import type { Change, Footprint, PermissionDiff } from '@svc/contracts';
import { changesOf } from './changes-of.ts';
import type { ComparedField } from './fields.ts';
import { fieldOf } from './pointer.ts';

/** A change with its field, and the keys of its path. */
type Found = Change & { field: ComparedField; keys: string[] };

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].sort();

const entryOf = ({ field, keys }: Found): string =>
  keys.join(field === '/contributes/tools/*/files/*' ? '.' : ':');

/** What came and what went of some fields, each as its keys. */
function comings(found: readonly Found[], ...fields: ComparedField[]) {
  const of = found.filter(({ field }) => fields.includes(field));
  return {
    added: sortedSet(of.filter(({ before }) => before === null).map(entryOf)),
    removed: sortedSet(of.filter(({ after }) => after === null).map(entryOf)),
  };
}

const AUTH: readonly ComparedField[] = [
  '/accounts/*/auth',
  '/accounts/*/authorizeUrl',
  '/accounts/*/tokenUrl',
  '/accounts/*/revokeUrl',
  '/accounts/*/clientId',
];

const LIMITS: readonly ComparedField[] = [
  '/contributes/tools/*/files/*/maxBytes',
  '/contributes/tools/*/files/*/multiple',
];

/** Ids of tools that both versions have and declare otherwise. */
function toolsChanged(base: Footprint | null, next: Footprint): string[] {
  const declarations = new Map(base?.tools.map((tool) => [tool.id, JSON.stringify(tool)]));
  return next.tools
    .filter((tool) => declarations.has(tool.id) && declarations.get(tool.id) !== JSON.stringify(tool))
    .map(({ id }) => id);
}

/** Whether an update changes something that people agreed to or recognise the app by: then they are asked again. */
export const asksAgain = ({ changes }: PermissionDiff): boolean =>
  changes.some(({ kind, widens }) => widens || kind === 'face');

/**
 * What an update changes about what people agreed to, as the API tells it.
 * @param base the version that people agreed to, such as the latest published one; null for a first version
 */
export function permissionDiff(
  base: { version: string; footprint: Footprint } | null,
  next: Footprint,
): PermissionDiff {
  const old = base?.footprint ?? null;
  const changes = changesOf(old, next);
  const found = changes.map((change): Found => {
    const at = fieldOf(change.path);
    if (!at) throw new Error(`No field has the path ${change.path}.`);
    return { ...change, ...at };
  });
  const grants = comings(found, '/grants/*');
  const domains = comings(found, '/remote/domains/*');
  const accounts = comings(found, '/accounts/*', '/accounts/*/scopes/*');
  const files = comings(found, '/contributes/tools/*/files/*');
  const requires = comings(found, '/requires/apps/*', '/requires/connectors/*');
  const tools = comings(found, '/contributes/tools/*');
  const keysOf = (of: (change: Found) => boolean): string[] => sortedSet(found.filter(of).map(entryOf));
  const firstKeysOf = (of: (change: Found) => boolean, besides: readonly string[]): string[] =>
    sortedSet(found.filter(of).map(({ keys: [id = ''] }) => id)).filter((id) => !besides.includes(id));
  const newAccounts = [...accounts.added, ...accounts.removed];
  const newFiles = [...files.added, ...files.removed];
  return {
    baseVersion: base?.version ?? null,
    grantsAdded: grants.added,
    grantsRemoved: grants.removed,
    domainsAdded: domains.added,
    domainsRemoved: domains.removed,
    accountsAdded: accounts.added,
    accountsRemoved: accounts.removed,
    fileParamsAdded: files.added,
    fileParamsRemoved: files.removed,
    requiresAdded: requires.added,
    requiresRemoved: requires.removed,
    toolsAdded: tools.added,
    toolsRemoved: tools.removed,
    toolsChanged: toolsChanged(old, next),
    confirmRemoved: keysOf(({ field, widens }) => field === '/contributes/tools/*/confirm' && widens),
    toolAccountsChanged: firstKeysOf(
      ({ field }) => field === '/contributes/tools/*/account',
      [...tools.added, ...tools.removed],
    ),
    fileLimitsRaised: sortedSet(
      found.filter(({ field, widens }) => LIMITS.includes(field) && widens).map(({ keys }) => keys.join('.')),
    ).filter((param) => !newFiles.includes(param)),
    authEndpointsChanged: firstKeysOf(({ field }) => AUTH.includes(field), newAccounts),
    mcpUrlChanged: base !== null && found.some(({ field }) => field === '/remote/mcpUrl'),
    widens: changes.some(({ widens }) => widens),
    changes,
  };
}
