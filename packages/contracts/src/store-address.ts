import { isThisMachine } from './this-machine.ts';

/**
 * The canonical URL of a store: without a trailing slash.
 * @throws TypeError unless the URL is https, or http on this machine, without credentials, query and fragment
 */
export function storeAddress(given: string): string {
  const url = URL.parse(given);
  // The message does not repeat the URL, as it may contain a secret and end up in logs.
  if (!url || url.username || url.password || url.search || url.hash) {
    throw new TypeError('The address of a store has no user name, password, query or fragment.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname))) {
    throw new TypeError('The address of a store begins with https://, or with http:// on this machine.');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Whether a text is the address of a store, or of a mirror of one. */
export function isStoreAddress(given: string): boolean {
  try {
    storeAddress(given);
    return true;
  } catch {
    return false;
  }
}

/** Whether the address of a store is on this machine. */
const isHere = (address: string): boolean => isThisMachine(new URL(address).hostname);

/**
 * Whether an address can be that of the origin of what a store carries: one in the form of `storeAddress`, and on this machine only where the
 * store that carries it is. What is on this machine is another store for each reader.
 * @param carrier canonical URL of the store that carries it
 */
export function mayBeOrigin(given: string, carrier: string): boolean {
  return isStoreAddress(given) && storeAddress(given) === given && (!isHere(given) || isHere(carrier));
}
