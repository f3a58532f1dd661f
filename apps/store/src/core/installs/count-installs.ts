import { updateRank } from '../domain/listings/app-stats-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { DayCount, Fetch, Installation, InstallStore } from './install-store.ts';

/** A download of a version by an installation that is not counted yet. */
export type Download = Fetch & { appId: string; networkHash: string };

/**
 * Installations of one app that count, from one network on one day: as many as a large household or a small company has.
 * Installations beyond it are recorded without counting, so that users who share an address with thousands can rate.
 */
export const COUNTED_A_DAY = 50;
/** Installations of all apps that are recorded, from one network on one day. Further ones are ignored. */
const RECORDED_A_DAY = 1_000;

export type CountStores = Pick<Parts, 'appStats' | 'listings'> & { installs: InstallStore };

/** A key of several parts. */
const keyOf = (...parts: string[]): string => parts.join('\n');

/**
 * The new installations that exceed the limit of their network on a day. The database counts them first, so that the limit
 * applies however many processes count at the same time.
 */
async function overLimit(
  installs: InstallStore,
  fresh: readonly Download[],
  limit: number,
  appOf: (download: Download) => string,
): Promise<Set<string>> {
  const groups = Map.groupBy(fresh, (download) => keyOf(download.day, download.networkHash, appOf(download)));
  const additions = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { day, networkHash } = first;
    return [{ day, networkHash, appId: appOf(first), installs: group.length }];
  });
  const over = new Set<string>();
  for (const { day, networkHash, appId, installs: total } of await installs.countFrom(additions)) {
    const group = groups.get(keyOf(day, networkHash, appId)) ?? [];
    const excess = Math.min(group.length, Math.max(0, total - limit));
    for (const { idHash } of group.slice(group.length - excess)) over.add(idHash);
  }
  return over;
}

/** The installations to record for some downloads: with the last version of each, and whether it counts. */
async function installationsOf({ installs }: CountStores, downloads: readonly Download[]) {
  const last = new Map(downloads.map((download) => [download.idHash, download]));
  const known = new Map(
    (await installs.known([...last.keys()])).map((installation) => [installation.idHash, installation]),
  );
  const fresh = [...last.values()].filter(({ idHash }) => !known.has(idHash));
  const ignored = await overLimit(installs, fresh, RECORDED_A_DAY, () => '');
  const recorded = fresh.filter(({ idHash }) => !ignored.has(idHash));
  const uncounted = await overLimit(installs, recorded, COUNTED_A_DAY, ({ appId }) => appId);
  const counts = ({ idHash }: Download) => known.get(idHash)?.counted ?? !uncounted.has(idHash);
  const installations = [...last.values()]
    .filter(({ idHash }) => !ignored.has(idHash))
    .map(
      (download): Omit<Installation, 'personId'> => ({
        idHash: download.idHash,
        appId: download.appId,
        version: download.version,
        counted: counts(download),
      }),
    );
  return { installations, fresh: new Set(recorded.map(({ idHash }) => idHash)) };
}

/** Sums up installs and updates of each version of an app by day. The first fetch of a new installation is its install. */
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
 * Counts downloads: an installation once for an app, and once a day for each version. Call it in a transaction.
 * @param downloads in the order in which they happened, without duplicates
 */
export async function countInstalls(stores: CountStores, downloads: readonly Download[]): Promise<void> {
  const { installs, appStats } = stores;
  const { installations, fresh } = await installationsOf(stores, downloads);
  await installs.put(installations);
  const counted = new Set(
    installations.filter((installation) => installation.counted).map(({ idHash }) => idHash),
  );
  const candidates = downloads.filter(({ idHash }) => counted.has(idHash));
  const recorded = new Set(
    (
      await installs.recordFetches(candidates.map(({ day, idHash, version }) => ({ day, idHash, version })))
    ).map(({ day, idHash, version }) => keyOf(day, idHash, version)),
  );
  const first = candidates.filter(({ day, idHash, version }) => recorded.has(keyOf(day, idHash, version)));
  const counts = [...Map.groupBy(first, ({ appId }) => appId)].flatMap(([appId, fetches]) =>
    countsOf(fetches, fresh).map((count) => ({ appId, ...count })),
  );
  await installs.count(counts);
  const added = new Map<string, number>();
  for (const { appId, installs: ofDay } of counts) {
    if (ofDay > 0) added.set(appId, (added.get(appId) ?? 0) + ofDay);
  }
  await appStats.addInstalls(added);
  for (const appId of added.keys()) await updateRank(stores, appId);
}
