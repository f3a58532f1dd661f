/** The pages. */
export const PAGES = [
  'chat',
  'store',
  'apps',
  'tools',
  'panels',
  'activity',
  'updates',
  'connectors',
  'dev',
  'agents',
  'settings',
] as const;

export type PageName = (typeof PAGES)[number];

/** Pages that are sections of the settings now: their addresses still lead there. */
const MOVED = new Set(['models', 'projects']);

/** Where the person is: a page, and what of it. */
export type Route = { page: PageName; rest: readonly string[] };

const isPage = (name: string | undefined): name is PageName =>
  (PAGES as readonly (string | undefined)[]).includes(name);

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Reads a hash such as `#/apps/com.example.notes/settings`. An empty one is the chat, and what names no page the store. */
export function parseRoute(hash: string): Route {
  if (/^#?\/?$/.test(hash)) return { page: 'chat', rest: [] };
  const [, page, ...rest] = hash.replace(/^#/, '').split('/').map(decoded);
  if (typeof page === 'string' && MOVED.has(page)) return { page: 'settings', rest: [page] };
  if (!isPage(page ?? undefined) || rest.includes(null)) return { page: 'store', rest: [] };
  return { page: page as PageName, rest: rest.filter((segment): segment is string => !!segment) };
}

/** The hash of a place, for links. */
export const hashOf = (page: PageName, ...rest: readonly string[]): string =>
  `#/${[page, ...rest].map(encodeURIComponent).join('/')}`;
