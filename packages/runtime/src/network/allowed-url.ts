import { isIP } from 'node:net';
import { RuntimeError } from '../platform/runtime-error.ts';

/** What may be asked on this machine: anything, nothing, or what is at these origins. */
export type Loopback = boolean | readonly string[];

/** Which addresses may be asked. */
export type Reach = {
  /** Host names in lower case; `*.example.com` stands for every name below `example.com`, and not for that name itself. */
  allowed: readonly string[];
  /** Where `http` and names of this machine are taken, if `allowed` has them: see `LoopbackOf`. */
  allowLoopback: Loopback;
  /** The app's own server. It alone may be on a port other than 443. */
  home?: string | undefined;
  /**
   * The addresses that a connector of the local network may be at, as the user agreed to them: its `home` is then asked there and
   * nowhere else, also over http.
   */
  pinned?: readonly string[] | undefined;
};

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the host of a URL is a name of this machine. Numbers in other spellings were made plain by the parser. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.has(hostname);

/** Whether an address is one of this machine that may be asked. */
export const isAllowedHere = ({ protocol, hostname, origin }: URL, allowed: Loopback): boolean =>
  isLoopbackHost(hostname) &&
  (protocol === 'http:' || protocol === 'https:') &&
  (typeof allowed === 'boolean' ? allowed : allowed.includes(origin));

const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether the host of a URL is an IP address and no name. */
export const isAddressHost = (hostname: string): boolean => isIP(unbracketed(hostname)) !== 0;

function matches(hostname: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return hostname === pattern;
  const below = pattern.slice(1);
  return hostname.endsWith(below) && hostname.length > below.length;
}

/** Why an address may not be asked; null when it may. What the address holds beyond its host is not repeated. */
function reasonAgainst(url: URL, { allowed, allowLoopback, home, pinned }: Reach): string | null {
  if (url.username !== '' || url.password !== '')
    return 'An address with a user name or password is not asked.';
  if (!allowed.some((pattern) => matches(url.hostname, pattern))) {
    return `The app may not reach the host ${url.hostname.slice(0, 253)}.`;
  }
  if (pinned) return url.origin === home ? null : 'Only the address that you agreed to is asked.';
  if (isLoopbackHost(url.hostname)) {
    return isAllowedHere(url, allowLoopback) ? null : 'The app may not reach this address of this machine.';
  }
  if (url.protocol !== 'https:') return 'Only https is spoken.';
  if (isAddressHost(url.hostname)) return 'A host is asked by its name, not by its address.';
  if (url.port !== '' && url.origin !== home) return 'Only port 443 is asked.';
  return null;
}

/**
 * Reads an address that may be asked.
 * @throws RuntimeError `address-refused`
 */
export function allowedUrl(address: string | URL, reach: Reach): URL {
  const url = URL.parse(String(address));
  if (!url) throw new RuntimeError('address-refused', 'This is no address.');
  const objection = reasonAgainst(url, reach);
  if (objection !== null) throw new RuntimeError('address-refused', objection);
  return url;
}
