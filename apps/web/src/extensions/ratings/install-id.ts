import { LIMITS } from '@svc/contracts/vocabulary';

const { min, max } = LIMITS.installs.id;

/** An installation id: unreserved characters (RFC 3986 section 2.3). */
const INSTALL_ID = new RegExp(`^[A-Za-z0-9._~\\-]{${min},${max}}$`);

/** The parts of `window` that are read and changed. */
type PageWindow = {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'state' | 'replaceState'>;
};

/**
 * Takes the installation id that a client opened a page with, as `#install=<id>`. Browsers send no fragment (RFC 9110 section
 * 4.2.3), and the id is removed from the URL immediately, so that it is not read or shared from there.
 * @returns null when there is no id, or an invalid one
 */
export function takeInstallId({ location, history }: PageWindow): string | null {
  const id = new URLSearchParams(location.hash.slice(1)).get('install');
  if (id === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return INSTALL_ID.test(id) ? id : null;
}
