import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { certificateFor } from './certificate.ts';

/** Opens a real https server for a host, closed after the test, and counts its connections. */
export async function startHttps(host: string, answer: RequestListener) {
  const { key, cert } = certificateFor(host);
  const server = createServer({ key, cert }, answer);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return { port, ca: cert, connections: () => connections };
}
