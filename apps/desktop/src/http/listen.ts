import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { admit } from './admit.ts';
import { sendError } from './answer.ts';
import { type Exchange, exchangeOf, HttpRefusal } from './exchange.ts';

/** What serves requests; replaced once the program behind it is open. */
type Serve = (exchange: Exchange) => Promise<void>;

/** A server on this machine alone. */
export type Listening = {
  port: number;
  /** As a browser writes it. */
  origin: string;
  /** Says what answers from now on. */
  serve(by: Serve): void;
  /** Ends all connections. */
  close(): Promise<void>;
};

/** What the system says where there is no IPv6. */
const WITHOUT_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** How often another free port is tried, when the one of IPv4 is taken in IPv6. */
const MOST_TRIES = 10;

const listenAt = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true, ipv6Only: host === '::1' }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/**
 * Opens both loopback addresses under one port: `localhost` leads browsers to either, so that the one we left free would be
 * another program's to answer in our name.
 * @param make makes a server
 */
async function openPair(make: () => Server, wanted: number): Promise<{ port: number; servers: Server[] }> {
  for (let tries = 1; ; tries += 1) {
    const [four, six] = [make(), make()];
    const port = await listenAt(four, '127.0.0.1', wanted);
    try {
      await listenAt(six, '::1', port);
      return { port, servers: [four, six] };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (WITHOUT_IPV6.has(code)) return { port, servers: [four] };
      await closed(four);
      if (code !== 'EADDRINUSE' || wanted !== 0 || tries === MOST_TRIES) throw error;
    }
  }
}

/**
 * Listens on the loopback addresses. Every request is admitted before anything looks at it.
 * @param port 0 for any that is free
 * @param onFault told of faults of the program
 * @throws the error of the socket, such as EADDRINUSE
 */
export async function listenOnLoopback(port: number, onFault: (error: unknown) => void): Promise<Listening> {
  let by: Serve = async () => {
    throw new HttpRefusal(503, 'internal', 'The desktop is still opening.');
  };
  let got = port;
  const make = () =>
    createServer({ maxHeaderSize: 16_384 }, async (request, response) => {
      try {
        admit(request, got);
        await by(exchangeOf(request, response));
      } catch (error) {
        // Nobody is there to be told.
        if (!response.destroyed) sendError(response, error, onFault);
      }
    });
  const pair = await openPair(make, port);
  got = pair.port;
  return {
    port: got,
    origin: `http://localhost:${got}`,
    serve(next) {
      by = next;
    },
    close: async () => void (await Promise.all(pair.servers.map(closed))),
  };
}
