import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { guarded, reportFault } from '@svc/contracts/guarded';

/** The loopback addresses that browsers try for `localhost` and every name under it (RFC 6761, section 6.3). */
const IPV4 = '127.0.0.1';
const IPV6 = '::1';

/** Error codes of a system without IPv6: no other program can listen at `::1` there either. */
const WITHOUT_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** How many free ports are tried when the port is free on IPv4 but in use on IPv6. */
const MAX_TRIES = 10;

/** Servers that listen at both loopback addresses on one port. */
export type LoopbackServers = {
  port: number;
  /** Closes the servers and all connections. */
  close(): Promise<void>;
};

/** The port is not available at one of the two addresses. `code` is that of the system: EADDRINUSE, EACCES, … */
export class LoopbackError extends Error {
  readonly code: string;
  /** The port that was requested. */
  readonly port: number;

  constructor(code: string, port: number, host: string) {
    const at = host === IPV6 ? `[${host}]` : host;
    super(
      code === 'EADDRINUSE'
        ? `Port ${port} is in use at ${at}. It is needed at both 127.0.0.1 and [::1], because browsers ask either of them for localhost.`
        : `Cannot listen at ${at} on port ${port} (${code}).`,
    );
    this.name = 'LoopbackError';
    this.code = code;
    this.port = port;
  }
}

/** Maximum declared bytes of a body that Node reads and discards after its response, so that the connection stays open. */
const SMALL_BODY = 64 * 1024;

/** Ends the connection of a larger body that was not read when its response is sent: Node would discard it for minutes, without a limit. */
function endUnread(request: IncomingMessage, response: ServerResponse): void {
  // Node removes the socket from a request that is over.
  const { socket } = request;
  const end = () => {
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (!request.complete && length > SMALL_BODY) socket.destroySoon();
  };
  response.prependOnceListener('finish', guarded(end));
}

/**
 * Listens. Afterwards an error of the server, such as of a connection that it could not accept, is reported, and one of a response to
 * which something is written after its end is ignored: neither ends the process.
 * @throws the error of the system
 */
export const listenAt = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (error: Error) => (server.listening ? reportFault(error) : reject(error));
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      response.on('error', () => {});
      endUnread(request, response);
    };
    server.on('error', guarded(onError));
    server.prependListener('request', guarded(onRequest));
    server.listen(options, resolve);
  });

async function listenAtHost(server: Server, host: string, port: number): Promise<number> {
  try {
    await listenAt(server, { host, port, exclusive: true, ipv6Only: host === IPV6 });
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    throw new LoopbackError(code, port, host);
  }
  return (server.address() as AddressInfo).port;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Opens one port at both addresses. @throws LoopbackError, after closing both */
async function openPair(make: () => Server, wanted: number): Promise<{ port: number; servers: Server[] }> {
  const [four, six] = [make(), make()];
  const port = await listenAtHost(four, IPV4, wanted);
  try {
    await listenAtHost(six, IPV6, port);
    return { port, servers: [four, six] };
  } catch (error) {
    if (error instanceof LoopbackError && WITHOUT_IPV6.has(error.code)) return { port, servers: [four] };
    await closed(four);
    throw error;
  }
}

/**
 * Listens at both loopback addresses on one port. Browsers connect to either of them for `localhost`, Chromium to `[::1]` first: if
 * one were left free, another local user could listen there and respond with our origin.
 * @param make creates a server; called once for each address
 * @param port 0 for any port that is free at both
 * @throws LoopbackError when the port is not available at both; on a machine without IPv6 only IPv4 is needed
 */
export async function listenOnLoopback(make: () => Server, port = 0): Promise<LoopbackServers> {
  for (let tries = 1; ; tries += 1) {
    try {
      const pair = await openPair(make, port);
      return {
        port: pair.port,
        close: async () => void (await Promise.all(pair.servers.map(closed))),
      };
    } catch (error) {
      const isTaken = error instanceof LoopbackError && error.code === 'EADDRINUSE';
      if (!isTaken || port !== 0 || tries === MAX_TRIES) throw error;
    }
  }
}
