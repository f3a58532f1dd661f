import { useSyncExternalStore } from 'react';

/** How often the user went back or forward: form fields then show the values of the URL, not what was typed. */
let navigationCount = 0;

const listeners = new Set<() => void>();

/** Notifies all listeners in one go, so that React renders them together with the new URL. */
function notify(): void {
  for (const listener of listeners) listener();
}

window.addEventListener('popstate', () => {
  navigationCount += 1;
  notify();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Changes the query of the page without loading it, so that the focus stays. */
export function goTo(query: URLSearchParams, how: 'push' | 'replace' = 'push'): void {
  const { pathname } = window.location;
  const address = query.size === 0 ? pathname : `${pathname}?${query}`;
  if (how === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
  notify();
}

/** The filters and the sort order of a list in a query string. */
const paramsOf = <Name extends string>(names: readonly Name[], search: string): Record<Name, string> => {
  const query = new URLSearchParams(search);
  return Object.fromEntries(names.map((name) => [name, query.get(name)?.trim() ?? ''])) as Record<
    Name,
    string
  >;
};

/** Filters and sort order from the URL of the page, so that a reload keeps them and the link can be shared. */
export const useParams = <Name extends string>(names: readonly Name[]): Record<Name, string> =>
  paramsOf(
    names,
    useSyncExternalStore(subscribe, () => window.location.search),
  );

/** Changes whenever the user goes back or forward. */
export const useNavigationCount = (): number => useSyncExternalStore(subscribe, () => navigationCount);
