import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Opens an HTTP server on a free port, closed after the test.
 * @returns its base URL, without a trailing slash
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

/**
 * Serves one page at every path, on an origin of its own on this machine: the closest that another site can get. Closed after the test.
 * @returns its URL, with a trailing slash
 */
export const servePage = async (html: string): Promise<string> =>
  `${await serveHere(() => (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  })}/`;
