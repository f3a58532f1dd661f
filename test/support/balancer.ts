import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a request to a process; null when the connection was refused, so that nothing was sent. */
function begin(port: number, { method, url, headers }: IncomingMessage) {
  const outgoing = request({ port, host: '127.0.0.1', method, path: url, headers, agent: false });
  return new Promise<typeof outgoing | null>((resolve) => {
    outgoing.once('error', () => resolve(null));
    outgoing.once('socket', (socket) => socket.once('connect', () => resolve(outgoing)));
  });
}

/**
 * A load balancer like the one in compose.yaml: round robin, and another process when a connection is refused.
 * @param ports of the processes; may be changed at any time
 */
export async function startBalancer(ports: number[]) {
  let turn = 0;
  async function pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    for (let tries = 0; tries < ports.length; tries += 1) {
      turn += 1;
      const outgoing = await begin(ports[turn % ports.length] as number, incoming);
      if (!outgoing) continue;
      outgoing.once('error', () => answer.destroy());
      outgoing.once('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      incoming.pipe(outgoing);
      return;
    }
    answer.writeHead(502).end();
  }
  // Keeps idle connections open: closing one that a client is about to reuse would look like a failure of the store.
  const keepAliveTimeout = 10 * 60_000;
  const server = createServer({ keepAliveTimeout }, (incoming, answer) => void pass(incoming, answer));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
