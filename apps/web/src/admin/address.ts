import { useSyncExternalStore } from 'react';

/** How often the reader went back or forth: fields then show what the address says, not what was typed. */
let timesMoved = 0;

const listeners = new Set<() => void>();

/** Tells all at once, so that they are drawn together: fields that are made again get the values of the new address. */
function tell(): void {
  for (const listener of listeners) listener();
}

window.addEventListener('popstate', () => {
  timesMoved += 1;
  tell();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The same page with another query: nothing is loaded again, so that the focus stays where it is. */
export function goTo(query: URLSearchParams): void {
  const { pathname } = window.location;
  window.history.pushState(null, '', query.size === 0 ? pathname : `${pathname}?${query}`);
  tell();
}

/** What a list is narrowed and sorted by, as it stands in an address. */
const narrowedBy = (names: readonly string[], search: string): Record<string, string> => {
  const asked = new URLSearchParams(search);
  return Object.fromEntries(names.map((name) => [name, asked.get(name)?.trim() ?? '']));
};

/** The same of the address of the page, so that a reload keeps it, and it can be sent to a colleague. */
export const useAsked = (names: readonly string[]): Record<string, string> =>
  narrowedBy(
    names,
    useSyncExternalStore(subscribe, () => window.location.search),
  );

/** Changes when the reader went back or forth. */
export const useTimesMoved = (): number => useSyncExternalStore(subscribe, () => timesMoved);
