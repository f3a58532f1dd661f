import { useSyncExternalStore } from 'react';
import { parseRoute, type Route } from '../routes.ts';

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

/** Where the person is. */
export const useRoute = (): Route => parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));

/** Leads the person somewhere. @param hash of `hashOf` */
export const go = (hash: string): void => window.location.assign(hash);
