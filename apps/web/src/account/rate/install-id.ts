import { LIMITS } from '@svc/contracts/vocabulary';

const { min, max } = LIMITS.installs.id;

/** What the id of an installation looks like: unreserved characters (RFC 3986 section 2.3). */
export const INSTALL_ID = `[A-Za-z0-9._~\\-]{${min},${max}}`;

const WHOLE = new RegExp(`^${INSTALL_ID}$`);

/** Of a browser's window what is read and changed here. */
type Place = {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'state' | 'replaceState'>;
};

/**
 * The installation that a client opened a page with, as `#install=<id>`. Browsers send no fragment (RFC 9110 section 4.2.3),
 * and it is taken off the address at once, so that nobody reads or passes it on there.
 * @returns null when there is none, or what is no id
 */
export function takeInstallId({ location, history }: Place): string | null {
  const id = new URLSearchParams(location.hash.slice(1)).get('install');
  if (id === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return WHOLE.test(id) ? id : null;
}
