import type { PermissionDiff } from '@svc/contracts';
import type { FileReach, Footprint } from './footprint.ts';

/** The footprint of no app at all: what a first version is compared with. */
const NOTHING: Footprint = {
  grants: [],
  domains: [],
  accounts: [],
  mcpUrl: '',
  requires: [],
  fileParams: new Map(),
  tools: new Map(),
  endpoints: new Map(),
};

/** Values that are in one collection and not in the other, sorted. */
const missingFrom = (other: Iterable<string>, values: Iterable<string>): string[] =>
  [...new Set(values).difference(new Set(other))].sort();

/** Keys of both maps whose values differ as the predicate says, sorted. */
const keysWhere = <T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  differs: (before: T, after: T) => boolean,
): string[] =>
  [...after]
    .filter(([key, value]) => {
      const old = before.get(key);
      return old !== undefined && differs(old, value);
    })
    .map(([key]) => key)
    .sort();

const limitRose = (before: FileReach, after: FileReach): boolean =>
  after.maxBytes > before.maxBytes || (after.multiple && !before.multiple);

/** Tools that now carry an account they did not: new tools count, since their calls send a token too. */
const toolsGainingAccount = (base: Footprint, next: Footprint): string[] =>
  [...next.tools]
    .filter(([id, { account }]) => account !== null && account !== (base.tools.get(id)?.account ?? null))
    .map(([id]) => id);

const sameRecord = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Compares what two versions of an app may reach, over the union of their keys, so that a wholly new section counts.
 * @param base the latest published version, or null for a first version
 * @returns the difference; `widens` is true when the update reaches more, or sends tokens elsewhere
 */
export function diffFootprints(
  base: { version: string; footprint: Footprint } | null,
  next: Footprint,
): PermissionDiff {
  const old = base?.footprint ?? NOTHING;
  const added = {
    grantsAdded: missingFrom(old.grants, next.grants),
    domainsAdded: missingFrom(old.domains, next.domains),
    accountsAdded: missingFrom(old.accounts, next.accounts),
    fileParamsAdded: missingFrom(old.fileParams.keys(), next.fileParams.keys()),
    requiresAdded: missingFrom(old.requires, next.requires),
  };
  const confirmRemoved = keysWhere(old.tools, next.tools, (was, is) => was.confirms && !is.confirms);
  const authEndpointsChanged = keysWhere(old.endpoints, next.endpoints, (was, is) => !sameRecord(was, is));
  const fileLimitsRaised = keysWhere(old.fileParams, next.fileParams, limitRose);
  const mcpUrlChanged = base !== null && old.mcpUrl !== next.mcpUrl;
  const widening = [...Object.values(added), confirmRemoved, authEndpointsChanged, fileLimitsRaised];
  return {
    baseVersion: base?.version ?? null,
    ...added,
    grantsRemoved: missingFrom(next.grants, old.grants),
    domainsRemoved: missingFrom(next.domains, old.domains),
    accountsRemoved: missingFrom(next.accounts, old.accounts),
    fileParamsRemoved: missingFrom(next.fileParams.keys(), old.fileParams.keys()),
    requiresRemoved: missingFrom(next.requires, old.requires),
    toolsAdded: missingFrom(old.tools.keys(), next.tools.keys()),
    toolsRemoved: missingFrom(next.tools.keys(), old.tools.keys()),
    toolsChanged: keysWhere(old.tools, next.tools, (was, is) => !sameRecord(was, is)),
    confirmRemoved,
    toolAccountsChanged: keysWhere(old.tools, next.tools, (was, is) => was.account !== is.account),
    fileLimitsRaised,
    authEndpointsChanged,
    mcpUrlChanged,
    widens:
      mcpUrlChanged || toolsGainingAccount(old, next).length > 0 || widening.some((list) => list.length > 0),
  };
}
