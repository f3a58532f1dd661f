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
  ): LookupFunction =>
  (host, options, done) => {
    const answer = async () => {
      const allowed = (await lookUp(host)).filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) throw notPublic();
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    };
    answer().catch((error: NodeJS.ErrnoException) => done(error, '', 0));
  };

/**
 * Connects to names whose addresses are allowed, and to this machine where some of it may be asked. Where a connection has
 * really led is looked at once more before anything is sent over it.
 * @param timeoutMs for the lookup, the connection and TLS together
 */
export function guardedConnector(
  { lookUp = lookUpAll, isPublic = isPublicAddress, port, ca }: Connecting,
  { allowLoopback, timeoutMs }: { allowLoopback: Loopback; timeoutMs: number },
): buildConnector.connector {
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
