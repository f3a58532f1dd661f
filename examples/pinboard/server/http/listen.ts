import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Timeout of a request, in milliseconds. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;

/**
 * Whether the `Host` of a request is that of this server. A DNS rebinding attack sends another host, and
 * the authorization server builds URLs from the host.
 */
const isMeantForUs = ({ headers }: IncomingMessage, origin: URL): boolean => headers.host === origin.host;

/**
 * Opens the socket, only on this machine: a public server runs behind a TLS proxy.
 * @param listenerAt creates the request handler for an origin
 * @param given the public origin; that of the socket when null
 */
export async function listen(
  port: number,
  given: string | null,
  listenerAt: (origin: string) => RequestListener,
): Promise<{ server: Server; origin: string }> {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', done);
  });
  const origin = given ?? `http://localhost:${(server.address() as AddressInfo).port}`;
  const own = new URL(origin);
  const answer = listenerAt(origin);
  server.on('request', (request, response) => {
    if (!isMeantForUs(request, own)) {
      response.writeHead(421, { 'content-type': 'text/plain' }).end(`This server is ${own.host}.\n`);
      return;
    }
    request.headers['x-forwarded-proto'] = own.protocol.slice(0, -1);
    answer(request, response);
  });
  return { server, origin };
}

/** Closes the socket and its connections. */
export const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
