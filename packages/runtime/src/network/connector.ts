import type { LookupAddress } from 'node:dns';
import { lookup as lookUpInSystem } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import {
  isLoopbackAddress,
  isPublicAddress,
  type MayReach,
  type PrivateNetworks,
} from '@svc/contracts/public-address';
import { isThisMachine, unbracketed } from '@svc/contracts/this-machine';
import { buildConnector } from 'undici/index.js';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { Network } from './network.ts';

/** The addresses of this machine that may be requested: all, none, these origins, or all but for these ports. */
export type Loopback = boolean | readonly string[] | { readonly exceptPorts: readonly string[] };

/** The port of a URL. */
export const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

function isWithin(url: URL, allowed: Loopback): boolean {
  if (typeof allowed === 'boolean') return allowed;
  return 'exceptPorts' in allowed ? !allowed.exceptPorts.includes(portOf(url)) : allowed.includes(url.origin);
}

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

/** Whether a URL is of this machine and may be requested. */
export const isAllowedHere = (url: URL, allowed: Loopback): boolean =>
  isThisMachine(url.hostname) &&
  (url.protocol === 'http:' || url.protocol === 'https:') &&
  isWithin(url, allowed);

/** Whether the host of a URL is an IP address. */
export const isAddressHost = (hostname: string): boolean => isIP(unbracketed(hostname)) !== 0;

function matches(hostname: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return hostname === pattern;
  const below = pattern.slice(1);
  return hostname.endsWith(below) && hostname.length > below.length;
}

/**
 * Where a redirect leads; null where that is no URL. A server behind a proxy that ends TLS often names its own address with http, which is the
 * one with https: nothing is sent over http.
 */
export function redirectTarget({ headers }: Response, from: URL): URL | null {
  const url = URL.parse(headers.get('location') ?? '', from.href);
  const isOwn = url?.hostname === from.hostname && ['', from.port].includes(url.port);
  return url && isOwn && from.protocol === 'https:' && url.protocol === 'http:'
    ? new URL(url.pathname + url.search, from)
    : url;
}

/** Returns why a URL may not be requested, or null. The message names at most the host of the URL. */
function reasonAgainst(url: URL, { allowed, allowLoopback, home, pinned }: Reach): string | null {
  if (url.username !== '' || url.password !== '') return 'URLs with a user name or password are not allowed.';
  if (!allowed.some((pattern) => matches(url.hostname, pattern))) {
    return `The app may not access the host ${url.hostname.slice(0, 253)}.`;
  }
  if (pinned) return url.origin === home ? null : 'The app may access only the address that you agreed to.';
  if (isThisMachine(url.hostname)) {
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

/** How connections are made. Everything has a default; tests pass their own resolver, certificate authority and port. */
export type Connecting = {
  /** Resolves a name to all its addresses. Default: the resolver of the system, with its hosts file and VPN. */
  lookUp?: (host: string) => Promise<LookupAddress[]>;
  /** Whether a connection to the resolved address of a name is allowed. Default: `isPublicAddress`. */
  isPublic?: MayReach;
  /** The port to use in place of 443. */
  port?: number;
  /** A certificate authority to trust in addition to those of the system. */
  ca?: string;
  /** What sends requests in place of connections of this process. */
  network?: Network | undefined;
  /** Further headers of each request: those of the span that it belongs to. */
  trace?: (() => { traceparent?: string }) | undefined;
};

/** Both addresses of this machine, which names below `localhost` have on every machine (RFC 6761 section 6.3): many resolvers know none of them. */
const HERE: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Resolves a name to all its addresses. */
export const lookUpAll = async (host: string): Promise<LookupAddress[]> =>
  host.endsWith('.localhost') ? [...HERE] : lookUpInSystem(host, { all: true });

const notPublic = (): RuntimeError =>
  new RuntimeError(
    'address-refused',
    'The host name resolves to an address that is neither public nor in one of the private networks of this client. For a host inside a company, name it in SVC_PRIVATE_NETWORKS.',
  );

/** How long the addresses of an app may take to be resolved before the user is asked about it, in milliseconds. */
const LOOKUP_MS = 2_000;

/**
 * The hosts among some that are inside a private network, in the form of the manifest. A host that cannot be resolved in time is inside
 * only if the list names it.
 */
export async function hostsInside(
  { lookUp = lookUpAll }: Connecting,
  { networks, system }: { networks: PrivateNetworks; system: Pick<System, 'sleep'> },
  hosts: readonly string[],
): Promise<string[]> {
  if (networks.entries.length === 0) return [];
  const over = new AbortController();
  const nothing = (): LookupAddress[] => [];
  const late = system.sleep(LOOKUP_MS, over.signal).then(nothing, nothing);
  const isInside = async (host: string): Promise<boolean> => {
    if (host.startsWith('*.')) return networks.names(host.slice(2)) || networks.names(`any${host.slice(1)}`);
    const found = await Promise.race([lookUp(host).catch(nothing), late]);
    return found.length === 0
      ? networks.names(host)
      : found.some(({ address }) => networks.includes(address, host));
  };
  const inside = await Promise.all(hosts.map(isInside));
  over.abort();
  return hosts.filter((_host, i) => inside[i]);
}

/**
 * Resolves the name of a connection. The connection uses exactly the addresses that were checked: there is no second lookup that
 * could return others (DNS rebinding).
 */
const lookupFor =
  ({ lookUp = lookUpAll }: Connecting, isAllowed: MayReach, refusal: () => RuntimeError): LookupFunction =>
  (host, options, done) => {
    const answer = async () => {
      const allowed = (await lookUp(host)).filter(({ address }) => isAllowed(address, host));
      const [first] = allowed;
      if (!first) throw refusal();
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    };
    answer().catch((error: NodeJS.ErrnoException) => done(error, '', 0));
  };

/** An address in the form used for comparison: dual-stack sockets report IPv4 addresses as mapped ones (RFC 4291 section 2.5.5.2). */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');

const moved = (): RuntimeError =>
  new RuntimeError(
    'address-refused',
    'The server is no longer at the address that you agreed to: add the connector again.',
  );

/** Connects only to allowed addresses. The remote address of the socket is checked again before anything is sent. */
function checkedConnector(
  connecting: Connecting,
  timeoutMs: number,
  isAllowed: MayReach,
  refusal = notPublic,
): buildConnector.connector {
  const connect = buildConnector({
    lookup: lookupFor(connecting, isAllowed, refusal),
    timeout: timeoutMs,
    allowH2: false,
    ...(connecting.ca !== undefined && { ca: connecting.ca }),
  } as buildConnector.BuildOptions);
  return (options, done) =>
    connect(options, (error, socket) => {
      if (error) return done(error, null);
      if (isAllowed(plainAddress(socket.remoteAddress ?? ''), options.hostname)) return done(null, socket);
      socket.destroy();
      done(refusal(), null);
    });
}

/**
 * Connects to names with allowed addresses, and to this machine where that is allowed; or only to the addresses that the user agreed to,
 * whatever the name resolves to now.
 * @param pinned these addresses
 * @param timeoutMs for the lookup, the connection and TLS in total
 */
export function guardedConnector(
  connecting: Connecting,
  {
    allowLoopback,
    pinned,
    timeoutMs,
  }: { allowLoopback: Loopback; pinned?: readonly string[] | undefined; timeoutMs: number },
): buildConnector.connector {
  if (pinned)
    return checkedConnector(connecting, timeoutMs, (found) => pinned.includes(plainAddress(found)), moved);
  const { isPublic = isPublicAddress, port } = connecting;
  const outwards = checkedConnector(connecting, timeoutMs, isPublic);
  const home = checkedConnector(connecting, timeoutMs, isLoopbackAddress);
  return (options, done) => {
    const local = isThisMachine(options.hostname);
    // IP addresses need no lookup. `allowedUrl` has already refused all but those of this machine.
    if (local ? allowLoopback === false : isAddressHost(options.hostname)) return done(notPublic(), null);
    (local ? home : outwards)(
      !local && port !== undefined ? { ...options, port: String(port) } : options,
      done,
    );
  };
}
