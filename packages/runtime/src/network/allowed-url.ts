import { isIP } from 'node:net';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The addresses of this machine that may be requested: all, none, or these origins. */
export type Loopback = boolean | readonly string[];

/** The addresses that may be requested. */
export type Reach = {
  /** Host names in lower case; `*.example.com` matches every name below `example.com`, but not `example.com` itself. */
  allowed: readonly string[];
  /** Whether `http` and names of this machine are accepted where `allowed` lists them: see `LoopbackOf`. */
  allowLoopback: Loopback;
  /** The app's own server. Only this origin may use a port other than 443. */
  home?: string | undefined;
  /**
   * The addresses of a connector of the local network, as the user agreed to them: the app may then access only its `home`, at these
   * addresses, also over http.
   */
  pinned?: readonly string[] | undefined;
};

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the host of a URL is a name of this machine. The URL parser has already normalized other spellings of IP addresses. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.has(hostname);

/** Whether a URL is of this machine and may be requested. */
export const isAllowedHere = ({ protocol, hostname, origin }: URL, allowed: Loopback): boolean =>
  isLoopbackHost(hostname) &&
  (protocol === 'http:' || protocol === 'https:') &&
  (typeof allowed === 'boolean' ? allowed : allowed.includes(origin));

const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether the host of a URL is an IP address. */
export const isAddressHost = (hostname: string): boolean => isIP(unbracketed(hostname)) !== 0;

function matches(hostname: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return hostname === pattern;
  const below = pattern.slice(1);
  return hostname.endsWith(below) && hostname.length > below.length;
}

/** Returns why a URL may not be requested, or null. The message names at most the host of the URL. */
function reasonAgainst(url: URL, { allowed, allowLoopback, home, pinned }: Reach): string | null {
  if (url.username !== '' || url.password !== '') return 'URLs with a user name or password are not allowed.';
  if (!allowed.some((pattern) => matches(url.hostname, pattern))) {
    return `The app may not access the host ${url.hostname.slice(0, 253)}.`;
  }
  if (pinned) return url.origin === home ? null : 'The app may access only the address that you agreed to.';
  if (isLoopbackHost(url.hostname)) {
    return isAllowedHere(url, allowLoopback) ? null : 'The app may not access this address on this machine.';
  }
  if (url.protocol !== 'https:') return 'Only https URLs are allowed.';
  if (isAddressHost(url.hostname)) return 'IP addresses are not allowed: use a host name.';
  if (url.port !== '' && url.origin !== home) return 'Only port 443 is allowed.';
  return null;
}

/**
 * Parses a URL, and checks that it may be requested.
 * @throws RuntimeError `address-refused`
 */
export function allowedUrl(address: string | URL, reach: Reach): URL {
  const url = URL.parse(String(address));
  if (!url) throw new RuntimeError('address-refused', 'This is not a valid URL.');
  const objection = reasonAgainst(url, reach);
  if (objection !== null) throw new RuntimeError('address-refused', objection);
  return url;
}
