/** Where the tab keeps its bearer: gone with the tab, and unlike a cookie sent to no other port of this machine. */
const KEPT_AS = 'svc.bearer';

/** `#key=…`, and the route that the link leads to behind it. */
const LINK = /^#key=([\w-]+)(?:&to=|[&#]?)(\/.*)?$/;

type Place = Pick<Window, 'location' | 'history'>;

/** The key of a one-time link, and the hash that it leads to; null when the address holds none. */
export function readLink(hash: string): { key: string; to: string } | null {
  const [, key, to = ''] = LINK.exec(hash) ?? [];
  return key === undefined ? null : { key, to: to && `#${to}` };
}

/** Takes the key of a one-time link off the address and the history, so that neither shows it again. */
export function takeKey({ location, history }: Place): string | null {
  const link = readLink(location.hash);
  if (!link) return null;
  history.replaceState(null, '', `${location.pathname}${link.to}`);
  return link.key;
}

export const keptBearer = (storage: Storage): string | null => storage.getItem(KEPT_AS);
export const keepBearer = (storage: Storage, bearer: string): void => storage.setItem(KEPT_AS, bearer);
export const forgetBearer = (storage: Storage): void => storage.removeItem(KEPT_AS);
