import { focusHeading } from '@svc/ui';
import { useSyncExternalStore } from 'react';

/** The first parts of the paths that this application shows. Other paths are documents of the store. */
const AREAS = ['account', 'moderation', 'admin'] as const;

export type Area = (typeof AREAS)[number];

/** The area of a path; undefined for a document of the store. */
export const areaOf = (pathname: string): Area | undefined =>
  AREAS.find((area) => pathname === `/${area}` || pathname.startsWith(`/${area}/`));

/** A part of a path without its percent-encoding; unchanged when that is invalid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** How often the user went to another page, back or forward: each starts fresh, as a loaded document does, but with the data that was read. */
let navigationCount = 0;

const listeners = new Set<() => void>();

/** Notifies all listeners in one go, so that React renders them together with the new URL. */
function notify(): void {
  for (const listener of listeners) listener();
}

/** Asks before another page is shown in place of one that would lose something: the listeners of `beforeunload` decide. */
const mayLeave = (): boolean =>
  window.dispatchEvent(new Event('beforeunload', { cancelable: true })) ||
  window.confirm('Leave this page? What has not been sent is lost.');

/** The address that is shown: Back has changed that of the window already. */
let shown = window.location.href;

window.addEventListener('popstate', () => {
  if (!mayLeave()) {
    window.history.pushState(null, '', shown);
    return;
  }
  shown = window.location.href;
  navigationCount += 1;
  notify();
  setTimeout(focusHeading);
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
  shown = window.location.href;
  notify();
}

/** Closes the menu of which a link was followed: no document is loaded that would close it, and the focus would stay at its button. */
function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLElement>(':popover-open')) {
    menu.hidePopover();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }
}

/** Leads to another page: without loading a document, if this application shows it. */
export function visit(address: string): void {
  const { origin, pathname, search, hash, href } = new URL(address, window.location.href);
  if (origin !== window.location.origin || areaOf(pathname) === undefined) {
    window.location.assign(href);
    return;
  }
  if (!mayLeave()) return;
  closeMenus();
  window.history.pushState(null, '', pathname + search + hash);
  shown = window.location.href;
  navigationCount += 1;
  notify();
  window.scrollTo(0, 0);
  // After the render, so that keyboard and screen reader start at the new page.
  setTimeout(focusHeading);
}

/** The link of this application that an event is on; null for a link elsewhere, to a file, or to another window. */
export function ownLink(event: Event): HTMLAnchorElement | null {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link?.href || link.target !== '' || link.hasAttribute('download')) return null;
  return link.origin === window.location.origin && areaOf(link.pathname) !== undefined ? link : null;
}

/** Follows the links between the pages of this application. Links with a modifier key, and those within a page, are the browser's. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = ownLink(event);
    if (!link) return;
    const { pathname, search } = window.location;
    if (link.hash !== '' && link.pathname === pathname && link.search === search) return;
    event.preventDefault();
    visit(link.href);
  });
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

/** The path of the page, without slashes at its end. */
export const usePath = (): string =>
  useSyncExternalStore(subscribe, () => window.location.pathname).replace(/(?<!\/)\/+$/, '');

/** Changes whenever the user goes to another page, back or forward; not for a filter or an order. */
export const useNavigationCount = (): number => useSyncExternalStore(subscribe, () => navigationCount);
