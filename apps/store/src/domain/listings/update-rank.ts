import { type AppStatsStore, appStatsOf } from './app-stats-store.ts';
import type { ListingStore } from './listing-store.ts';

/** Places an app in the catalogue by its figures. Run it in the transaction that changed them. */
export async function updateRank(
  { appStats, listings }: { appStats: AppStatsStore; listings: ListingStore },
  appId: string,
): Promise<void> {
  await listings.weigh(appId, appStatsOf(await appStats.of(appId)));
}
