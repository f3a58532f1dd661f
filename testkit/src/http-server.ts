import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A server on a port of its own, gone when the test is over.
 * @returns its address, without a trailing slash
 */
export async function serveHere(listener: (url: string) => RequestListener): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  server.on('request', listener(url));
  onTestFinished(
    () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  return url;
}
