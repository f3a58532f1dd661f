import type { LookupAddress } from 'node:dns';
import { lookup as lookUpInSystem } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from '@svc/contracts/public-address';
import { buildConnector } from 'undici';
import { RuntimeError } from '../platform/runtime-error.ts';
import { isAddressHost, isLoopbackHost, type Loopback } from './allowed-url.ts';

/** How connections are made. All of it has a default; tests give their own name server, authority and port. */
export type Connecting = {
  /** All addresses of a name. The system's own answer by default, with its hosts file and its VPN. */
  lookUp?: (host: string) => Promise<LookupAddress[]>;
  /** Whether an address that a public name leads to may be connected to. */
  isPublic?: (address: string) => boolean;
  /** Where port 443 is. */
  port?: number;
  /** An authority to trust besides those of the system. */
  ca?: string;
};

const lookUpAll = (host: string): Promise<LookupAddress[]> => lookUpInSystem(host, { all: true });

const notPublic = (): RuntimeError =>
  new RuntimeError('address-refused', 'The name leads to an address that is not of the public Internet.');

/**
 * Looks a name up for a connection: the addresses that it gives are those that are connected to, so that there is no second
 * lookup that could answer otherwise.
 */
const lookupFor =
  (
    lookUp: (host: string) => Promise<LookupAddress[]>,
    isAllowed: (address: string) => boolean,
    refusal = notPublic,
  ): LookupFunction =>
  (host, options, done) => {
    const answer = async () => {
      const allowed = (await lookUp(host)).filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) throw refusal();
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    };
    answer().catch((error: NodeJS.ErrnoException) => done(error, '', 0));
  };

/** An address as it is compared: a socket of both families writes those of IPv4 as mapped ones (RFC 4291 section 2.5.5.2). */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '');

/**
 * Connects to the addresses that the user agreed to, whatever a name leads to by now.
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
 * Connects to names whose addresses are allowed, and to this machine where some of it may be asked. Where a connection has
 * really led is looked at once more before anything is sent over it.
 * @param timeoutMs for the lookup, the connection and TLS together
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
  const connectTo = (isAllowed: (address: string) => boolean) =>
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
    // Literals are connected to without any lookup, so they never come this far but for those of this machine.
    if (local ? allowLoopback === false : isAddressHost(options.hostname)) return done(notPublic(), null);
    const isAllowed = local ? isLoopbackAddress : isPublic;
    const rerouted = !local && port !== undefined ? { ...options, port: String(port) } : options;
    (local ? home : outwards)(rerouted, (error, socket) => {
      if (error) return done(error, null);
      if (isAllowed(socket.remoteAddress ?? '')) return done(null, socket);
      socket.destroy();
      done(notPublic(), null);
    });
  };
}
