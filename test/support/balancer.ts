import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Begins a request at a process; null when its connection was refused, so that nothing was sent. */
function begin(port: number, { method, url, headers }: IncomingMessage) {
  const outgoing = request({ port, host: '127.0.0.1', method, path: url, headers, agent: false });
  return new Promise<typeof outgoing | null>((resolve) => {
    outgoing.once('error', () => resolve(null));
    outgoing.once('socket', (socket) => socket.once('connect', () => resolve(outgoing)));
  });
}

/**
 * A balancer that hands each request to the next process in turn, and to another one when a connection is refused, as the
 * one in compose.yaml does.
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
  // It ends no connection that a caller may be about to use again: that would be its own refusal, and nobody's.
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
