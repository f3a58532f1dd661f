import type { AppStatsStore } from '../domain/listings/app-stats-store.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import { updateRank } from '../domain/listings/update-rank.ts';
import type { DayCount, Fetch, Installation, InstallStore } from './install-store.ts';

/** A download of a version by an installation, as it waits to be counted. */
export type Download = Fetch & { appId: string; networkHash: string };

/**
 * Installations of one app that count, from one network on one day: as many as a large household or a small firm has.
 * A person behind an address that thousands share is known all the same, and may rate.
 */
export const COUNTED_A_DAY = 50;
/** Installations of any app that are counted, from one network on one day. Beyond them nothing is kept. */
const KNOWN_A_DAY = 1_000;

export type CountStores = { installs: InstallStore; appStats: AppStatsStore; listings: ListingStore };

/** Any number of things, each under a text that says which of them are the same. */
const keyOf = (...parts: string[]): string => parts.join('\n');

/**
 * Which of some new installations are more than their networks may bring on a day: counted first, so that however many
 * processes count at once, no network brings more.
 */
async function overLimit(
  installs: InstallStore,
  fresh: readonly Download[],
  limit: number,
  appOf: (download: Download) => string,
): Promise<Set<string>> {
  const groups = Map.groupBy(fresh, (one) => keyOf(one.day, one.networkHash, appOf(one)));
  const asked = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { day, networkHash } = first;
    return [{ day, networkHash, appId: appOf(first), installs: group.length }];
  });
  const over = new Set<string>();
  for (const { day, networkHash, appId, installs: total } of await installs.countFrom(asked)) {
    const group = groups.get(keyOf(day, networkHash, appId)) ?? [];
    const excess = Math.min(group.length, Math.max(0, total - limit));
    for (const { idHash } of group.slice(group.length - excess)) over.add(idHash);
  }
  return over;
}

/** What is to be kept of some downloads: of each installation the last one, and whether it counts. */
async function installationsOf({ installs }: CountStores, downloads: readonly Download[]) {
  const last = new Map(downloads.map((one) => [one.idHash, one]));
  const known = new Map((await installs.known([...last.keys()])).map((one) => [one.idHash, one]));
  const fresh = [...last.values()].filter(({ idHash }) => !known.has(idHash));
  const ignored = await overLimit(installs, fresh, KNOWN_A_DAY, () => '');
  const taken = fresh.filter(({ idHash }) => !ignored.has(idHash));
  const uncounted = await overLimit(installs, taken, COUNTED_A_DAY, ({ appId }) => appId);
  const counts = ({ idHash }: Download) => known.get(idHash)?.counted ?? !uncounted.has(idHash);
  const kept = [...last.values()]
    .filter(({ idHash }) => !ignored.has(idHash))
    .map(
      (one): Omit<Installation, 'personId'> => ({
        idHash: one.idHash,
        appId: one.appId,
        version: one.version,
        counted: counts(one),
      }),
    );
  return { kept, fresh: new Set(taken.map(({ idHash }) => idHash)) };
}

/** Adds up what happened with each version of an app on each day. The first fetch of a new installation is its install. */
function countsOf(fetches: readonly Fetch[], fresh: ReadonlySet<string>): DayCount[] {
  const installed = new Set<string>();
  const counts = new Map<string, DayCount>();
  for (const { day, version, idHash } of fetches) {
    const key = keyOf(day, version);
    const count = counts.get(key) ?? { day, version, installs: 0, updates: 0 };
    if (fresh.has(idHash) && !installed.has(idHash)) count.installs += 1;
    else count.updates += 1;
    installed.add(idHash);
    counts.set(key, count);
  }
  return [...counts.values()];
}

/**
 * Counts downloads: an installation once for an app, and once a day for each version. Run it in a transaction.
 * @param downloads in the order in which they were, none twice
 */
export async function countInstalls(stores: CountStores, downloads: readonly Download[]): Promise<void> {
  const { installs, appStats } = stores;
  const { kept, fresh } = await installationsOf(stores, downloads);
  await installs.put(kept);
  const counted = new Map(kept.filter((one) => one.counted).map((one) => [one.idHash, one.appId]));
  const asked = downloads.filter(({ idHash }) => counted.has(idHash));
  const noted = new Set(
    (await installs.noteFetches(asked.map(({ day, idHash, version }) => ({ day, idHash, version })))).map(
      ({ day, idHash, version }) => keyOf(day, idHash, version),
    ),
  );
  const first = asked.filter(({ day, idHash, version }) => noted.has(keyOf(day, idHash, version)));
  const counts = [...Map.groupBy(first, ({ appId }) => appId)].flatMap(([appId, fetches]) =>
    countsOf(fetches, fresh).map((count) => ({ appId, ...count })),
  );
  await installs.count(counts);
  const more = new Map<string, number>();
  for (const one of counts) {
    if (one.installs > 0) more.set(one.appId, (more.get(one.appId) ?? 0) + one.installs);
  }
  await appStats.addInstalls(more);
  for (const appId of more.keys()) await updateRank(stores, appId);
}
