/** Storage key of the bearer. Session storage ends with the tab and, unlike a cookie, is sent to no other port of this computer. */
const STORAGE_KEY = 'svc.bearer';

/** `#key=…`, followed by the route that the link opens. */
const LINK = /^#key=([\w-]+)(?:&to=|[&#]?)(\/.*)?$/;

type Place = Pick<Window, 'location' | 'history'>;

/** Reads the key of a one-time link and the hash it opens; null without a key. */
export function readLink(hash: string): { key: string; to: string } | null {
  const [, key, to = ''] = LINK.exec(hash) ?? [];
  return key === undefined ? null : { key, to: to && `#${to}` };
}

/** Reads the key of a one-time link, and removes it from the address bar and the history. */
export function takeKey({ location, history }: Place): string | null {
  const link = readLink(location.hash);
  if (!link) return null;
  history.replaceState(null, '', `${location.pathname}${link.to}`);
  return link.key;
}

export const storedBearer = (storage: Storage): string | null => storage.getItem(STORAGE_KEY);
export const storeBearer = (storage: Storage, bearer: string): void => storage.setItem(STORAGE_KEY, bearer);
export const deleteBearer = (storage: Storage): void => storage.removeItem(STORAGE_KEY);

/** Storage key of the command that starts this desktop again. It outlives the session, for the page that asks for a new link. */
const COMMAND_KEY = 'svc.command';

export const storedCommand = (): string => localStorage.getItem(COMMAND_KEY) ?? 'svc desktop';
export const storeCommand = (command: string): void => localStorage.setItem(COMMAND_KEY, command);
