import { useSyncExternalStore } from 'react';

const query = () => window.matchMedia('(prefers-color-scheme: dark)');

function subscribe(changed: () => void): () => void {
  const dark = query();
  dark.addEventListener('change', changed);
  return () => dark.removeEventListener('change', changed);
}

/** How the page looks now. */
export const useTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribe, () => query().matches) ? 'dark' : 'light';
