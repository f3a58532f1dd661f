import type { LookupAddress } from 'node:dns';
import { lookup as lookUpInSystem } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import {
  isLoopbackAddress,
  isPublicAddress,
  type MayReach,
  type PrivateNetworks,
} from '@svc/contracts/public-address';
import { buildConnector } from 'undici';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { isAddressHost, isLoopbackHost, type Loopback } from './allowed-url.ts';

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
};

const lookUpAll = (host: string): Promise<LookupAddress[]> => lookUpInSystem(host, { all: true });

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
  (
    lookUp: (host: string) => Promise<LookupAddress[]>,
    isAllowed: MayReach,
    refusal = notPublic,
  ): LookupFunction =>
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

/**
 * Connects only to the addresses that the user agreed to, whatever the name resolves to now.
 * @param pinned the addresses
 */
function pinnedConnector(
  { lookUp = lookUpAll, ca }: Connecting,
  { pinned, timeoutMs }: { pinned: readonly string[]; timeoutMs: number },
): buildConnector.connector {
  const isAllowed = (address: string) => pinned.includes(plainAddress(address));
  const moved = () =>
    new RuntimeError(
      'address-refused',
      'The server is no longer at the address that you agreed to: add the connector again.',
    );
  const connect = buildConnector({
    lookup: lookupFor(lookUp, isAllowed, moved),
    timeout: timeoutMs,
    allowH2: false,
    ...(ca !== undefined && { ca }),
  } as buildConnector.BuildOptions);
  return (options, done) =>
    connect(options, (error, socket) => {
      if (error) return done(error, null);
      if (isAllowed(socket.remoteAddress ?? '')) return done(null, socket);
      socket.destroy();
      done(moved(), null);
    });
}

/**
 * Connects to names with allowed addresses, and to this machine where that is allowed. The remote address of the socket is checked
 * again before anything is sent.
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
  if (pinned) return pinnedConnector(connecting, { pinned, timeoutMs });
  const { lookUp = lookUpAll, isPublic = isPublicAddress, port, ca } = connecting;
  const connectTo = (isAllowed: MayReach) =>
    buildConnector({
      lookup: lookupFor(lookUp, isAllowed),
      timeout: timeoutMs,
      allowH2: false,
      ...(ca !== undefined && { ca }),
    } as buildConnector.BuildOptions);
  const outwards = connectTo(isPublic);
  const home = connectTo(isLoopbackAddress);
  return (options, done) => {
    const local = isLoopbackHost(options.hostname);
    // IP addresses need no lookup. `allowedUrl` has already refused all but those of this machine.
    if (local ? allowLoopback === false : isAddressHost(options.hostname)) return done(notPublic(), null);
    const isAllowed: MayReach = local ? isLoopbackAddress : isPublic;
    const rerouted = !local && port !== undefined ? { ...options, port: String(port) } : options;
    (local ? home : outwards)(rerouted, (error, socket) => {
      if (error) return done(error, null);
      if (isAllowed(plainAddress(socket.remoteAddress ?? ''), options.hostname)) return done(null, socket);
      socket.destroy();
      done(notPublic(), null);
    });
  };
}
