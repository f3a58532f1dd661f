import { type AppStatsStore, appStatsOf } from './app-stats-store.ts';
import type { ListingStore } from './listing-store.ts';

/** Updates the rank of an app in the catalogue from its statistics. Run it in the transaction that changes them. */
export async function updateRank(
  { appStats, listings }: { appStats: AppStatsStore; listings: ListingStore },
  appId: string,
): Promise<void> {
  await listings.updateRank(appId, appStatsOf(await appStats.of(appId)));
}
