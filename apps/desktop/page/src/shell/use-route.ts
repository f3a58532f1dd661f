import { useSyncExternalStore } from 'react';
import { parseRoute, type Route } from '../routes.ts';

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export const useRoute = (): Route => parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));

/** Navigates to a page. @param hash from `hashOf` */
export const go = (hash: string): void => window.location.assign(hash);
