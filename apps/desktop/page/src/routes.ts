/** The pages, as in the hash, with their titles. */
export const PAGE_TITLES = {
  chat: 'Chat',
  store: 'Store',
  apps: 'Apps',
  tools: 'Tools',
  panels: 'Panels',
  activity: 'Activity',
  updates: 'Updates',
  connectors: 'Connectors',
  dev: 'Developer',
  agents: 'Agents',
  settings: 'Settings',
} as const;

export type PageName = keyof typeof PAGE_TITLES;

export const PAGES = Object.keys(PAGE_TITLES) as PageName[];

/** Former pages that are sections of the settings now. Their old addresses still work. */
const MOVED = new Set(['models', 'projects']);

/** The current page, and the rest of the path. */
export type Route = { page: PageName; rest: readonly string[] };

const isPage = (name: string | undefined): name is PageName =>
  name !== undefined && Object.hasOwn(PAGE_TITLES, name);

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Reads a hash such as `#/apps/com.example.notes/settings`. An empty hash is the chat; an unknown page is the store. */
export function parseRoute(hash: string): Route {
  if (/^#?\/?$/.test(hash)) return { page: 'chat', rest: [] };
  const [, page, ...rest] = hash.replace(/^#/, '').split('/').map(decoded);
  if (typeof page === 'string' && MOVED.has(page)) return { page: 'settings', rest: [page] };
  if (!isPage(page ?? undefined) || rest.includes(null)) return { page: 'store', rest: [] };
  return { page: page as PageName, rest: rest.filter((segment): segment is string => !!segment) };
}

/** Returns the hash of a page, for links. */
export const hashOf = (page: PageName, ...rest: readonly string[]): string =>
  `#/${[page, ...rest].map(encodeURIComponent).join('/')}`;
