import { isThisMachine } from '@svc/contracts/this-machine';

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
