import type { CatalogEntry } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/** The apps that administrators of the store put first; none where the store does not say, or is away. Undefined until it answers. */
export function useFeatured(): readonly CatalogEntry[] | undefined {
  const { data, isPending } = useDesktopQuery('store.search', { featured: '1' });
  if (isPending) return;
  // A store that does not know the question lists all of its apps.
  const isAnswer = data !== undefined && data.nextCursor === null && data.total <= LIMITS.catalog.featured;
  return isAnswer ? data.apps.slice(0, LIMITS.catalog.featuredShown) : [];
}
