import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';

/** A server that listens. */
export type Listening = {
  /** Port it got; the one asked for unless that was 0. */
  port: number;
  /** Takes no new connections, lets the requests under way finish, and resolves when the last one has. */
  close(): Promise<void>;
};

/**
 * Listens on a port.
 * @param hostname address to listen on; all addresses when left out
 * @throws the error of the socket, such as EADDRINUSE
 */
export function listen(
  fetch: (request: Request, env: never) => Response | Promise<Response>,
  port: number,
  hostname?: string,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: fetch as Parameters<typeof createAdaptorServer>[0]['fetch'],
  }) as Server;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(hostname !== undefined && { host: hostname }) }, () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeIdleConnections();
          }),
      });
    });
  });
}
