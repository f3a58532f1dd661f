import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request may take, in milliseconds. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;

/**
 * Whether a request is meant for this server. A page whose name was made to lead to this machine sends another host along; and
 * the authorization server makes addresses of the host it reads.
 */
const isMeantForUs = ({ headers }: IncomingMessage, origin: URL): boolean => headers.host === origin.host;

/**
 * Opens the socket, on this machine alone: behind a name of its own the server stands behind a proxy that speaks TLS.
 * @param listenerAt what answers, once the address is known
 * @param given the address under which others reach it; that of the socket when null
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

/** Closes the socket, and what still hangs on it. */
export const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
