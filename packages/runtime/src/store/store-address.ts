const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address of a store in the one spelling that it is kept and compared in: without a slash at its end.
 * @throws TypeError for what is no https address, or http of this machine, or holds more than an address
 */
export function storeAddress(given: string): string {
  const url = URL.parse(given);
  // What is hidden in an address ends up in logs, so that a bad one is not repeated.
  if (!url || url.username || url.password || url.search || url.hash) {
    throw new TypeError('The address of a store has no user name, password, query or fragment.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
    throw new TypeError('The address of a store begins with https://, or with http:// on this machine.');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}
