import type { Change, Footprint, PermissionDiff } from '@svc/contracts';
import { changesOf } from './changes-of.ts';
import type { ComparedField } from './fields.ts';
import { fieldOf } from './pointer.ts';

/** A change with its field, and the keys of its path. */
type FieldChange = Change & { field: ComparedField; keys: string[] };

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].sort();

const entryOf = ({ field, keys }: FieldChange): string =>
  keys.join(field === '/contributes/tools/*/files/*' ? '.' : ':');

/** The added and removed items of some fields, by their keys. */
function addedAndRemoved(changes: readonly FieldChange[], ...fields: ComparedField[]) {
  const relevant = changes.filter(({ field }) => fields.includes(field));
  return {
    added: sortedSet(relevant.filter(({ before }) => before === null).map(entryOf)),
    removed: sortedSet(relevant.filter(({ after }) => after === null).map(entryOf)),
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

/** Ids of tools that both versions have with different declarations. */
function toolsChanged(base: Footprint | null, next: Footprint): string[] {
  const declarations = new Map(base?.tools.map((tool) => [tool.id, JSON.stringify(tool)]));
  return next.tools
    .filter((tool) => declarations.has(tool.id) && declarations.get(tool.id) !== JSON.stringify(tool))
    .map(({ id }) => id);
}

/** Whether a change adds or alters what steers an agent. Removing a tool does not. */
export const steersAgents = ({ kind, after }: Change): boolean => kind === 'instructions' && after !== null;

/**
 * Whether the client must ask the user about an update: it adds permissions, or changes how users recognise the app.
 * @param options.instructions whether to ask about changed instructions for agents too; a moderator has reviewed them
 */
export const asksAgain = (
  { changes }: PermissionDiff,
  { instructions = false }: { instructions?: boolean } = {},
): boolean =>
  changes.some((change) => change.widens || change.kind === 'face' || (instructions && steersAgents(change)));

/**
 * Computes how an update changes what users agreed to, in the format of the API.
 * @param base the version that users agreed to, such as the latest published one; null for a first version
 */
export function permissionDiff(
  base: { version: string; footprint: Footprint } | null,
  next: Footprint,
): PermissionDiff {
  const old = base?.footprint ?? null;
  const changes = changesOf(old, next);
  const fieldChanges = changes.map((change): FieldChange => {
    const at = fieldOf(change.path);
    if (!at) throw new Error(`Unknown path of a change: ${change.path}.`);
    return { ...change, ...at };
  });
  const grants = addedAndRemoved(fieldChanges, '/grants/*');
  const domains = addedAndRemoved(fieldChanges, '/remote/domains/*');
  const accounts = addedAndRemoved(fieldChanges, '/accounts/*', '/accounts/*/scopes/*');
  const files = addedAndRemoved(fieldChanges, '/contributes/tools/*/files/*');
  const requires = addedAndRemoved(fieldChanges, '/requires/apps/*', '/requires/connectors/*');
  const tools = addedAndRemoved(fieldChanges, '/contributes/tools/*');
  const keysOf = (matches: (change: FieldChange) => boolean): string[] =>
    sortedSet(fieldChanges.filter(matches).map(entryOf));
  const firstKeysOf = (matches: (change: FieldChange) => boolean, excluded: readonly string[]): string[] =>
    sortedSet(fieldChanges.filter(matches).map(({ keys: [id = ''] }) => id)).filter(
      (id) => !excluded.includes(id),
    );
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
      fieldChanges
        .filter(({ field, widens }) => LIMITS.includes(field) && widens)
        .map(({ keys }) => keys.join('.')),
    ).filter((param) => !newFiles.includes(param)),
    authEndpointsChanged: firstKeysOf(({ field }) => AUTH.includes(field), newAccounts),
    mcpUrlChanged: base !== null && fieldChanges.some(({ field }) => field === '/remote/mcpUrl'),
    widens: changes.some(({ widens }) => widens),
    changes,
  };
}
