import type { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { MayReach } from '@svc/contracts/public-address';
import { unbracketed } from '@svc/contracts/this-machine';
import { buildConnector } from 'undici';
import { addressesOf } from './addresses.ts';

/** A host that is not a name, or that resolves to no allowed address. */
export class NotPublicError extends Error {}

export type ConnectorDeps = {
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  isAllowed: MayReach;
  port: number;
  timeoutMs: number;
  ca?: string;
};

/**
 * Resolves a name for a connection. The returned addresses are the ones connected to: a second lookup could return others (DNS
 * rebinding).
 */
const lookupFor =
  (deps: ConnectorDeps): LookupFunction =>
  (host, options, done) => {
    const answer = async () => {
      const allowed = (await addressesOf(deps, host)).filter(({ address }) => deps.isAllowed(address, host));
      const [first] = allowed;
      if (!first) throw new NotPublicError('The name leads to no public address.');
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    };
    answer().catch((error: NodeJS.ErrnoException) => done(error, '', 0));
  };

/**
 * Connects over TLS to one port of hosts whose addresses are allowed. Refuses a host that is an IP address in any notation of the URL.
 * Checks the address of the open connection once more before a request is sent over it.
 */
export function connectorTo(deps: ConnectorDeps): buildConnector.connector {
  const { isAllowed, port, timeoutMs, ca } = deps;
  const connect = buildConnector({
    lookup: lookupFor(deps),
    timeout: timeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
    keepAlive: false,
    ...(ca !== undefined && { ca }),
  } as buildConnector.BuildOptions);
  return (options, done) => {
    if (isIP(unbracketed(options.hostname)) !== 0) {
      done(new NotPublicError('The host is an address.'), null);
      return;
    }
    connect({ ...options, port: String(port) }, (error, socket) => {
      if (error) return done(error, null);
      if (isAllowed(socket.remoteAddress ?? '', options.hostname)) return done(null, socket);
      socket.destroy();
      done(new NotPublicError('The connection led to no allowed address.'), null);
    });
  };
}
