import { type FigureStore, figuresOf } from './figure-store.ts';
import type { ListingStore } from './listing-store.ts';

/** Places an app in the catalogue by its figures. Run it in the transaction that changed them. */
export async function weighApp(
  { figures, listings }: { figures: FigureStore; listings: ListingStore },
  appId: string,
): Promise<void> {
  await listings.weigh(appId, figuresOf(await figures.of(appId)));
}
