import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { AnswerFromMemory } from './access/answer-from-memory.ts';
import { answerClientError } from './http/answer-client-error.ts';
import { watchConnections } from './http/connections.ts';
import { createTurns } from './platform/turns.ts';

/** A server that listens. */
export type Listening = {
  /** Port it got; the one asked for unless that was 0. */
  port: number;
  /** From now on every answer ends its connection, so that its client may come back to another process. */
  endConnections(): void;
  /**
   * Takes no new connections, ends the idle ones, lets the requests under way finish, and resolves when the last one has.
   */
  close(): Promise<void>;
};

/** What a server serves: an application, and what it can answer without asking it. */
export type Served = {
  app: { fetch: Parameters<typeof getRequestListener>[0] };
  answerFromMemory: AnswerFromMemory;
};

/** Bytes that are read and thrown away for the sake of a connection that goes on. */
const SMALL_BODY = 64 * 1024;

/** Bytes of a body that are read and thrown away after its answer, so that the connection can go on. */
const DRAINED_BYTES = 4 * 1024 * 1024;

/** How long a client has to send these, and to read its answer, in milliseconds. */
const LINGER_MS = 2_000;

/** How fast all such bodies together are read: what is thrown away must not hold up what is answered. */
const DRAINING = { perTurn: 64 * 1024, perSecond: 32 * 1024 * 1024, burst: DRAINED_BYTES };

const drainTurn = createTurns(DRAINING);

/** Reads and throws away the rest of a body, up to a size; ends its connection when that does not bring its end. */
function drain(request: IncomingMessage): void {
  let left = DRAINED_BYTES;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.on('data', async (chunk: Buffer) => {
    left -= chunk.byteLength;
    request.pause();
    if (left < 0) return;
    await drainTurn('', chunk.byteLength);
    request.resume();
  });
  request.once('end', () => clearTimeout(timer));
  request.resume();
}

/**
 * Ends a connection on which a large body still arrives when its request is answered, as that of a caller who was turned
 * away does. Little more of it is read, and the connection ends a moment later, as a client that is reset while it sends may
 * lose the answer (RFC 9112 section 9.6). When the body ends by then, the connection goes on: a client keeps it for others.
 */
function endUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const end = () => {
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (request.complete || length <= SMALL_BODY) return;
    // Node itself reads on, and throws away, what was never read from; a body that was read from waits to be read again.
    request.read(0);
    drain(request);
  };
  // Before Node's own listener.
  response.prependOnceListener('finish', end);
}

/**
 * Listens on a port.
 * @param hostname address to listen on; all addresses when left out
 * @throws the error of the socket, such as EADDRINUSE
 */
export function listen(
  { app, answerFromMemory }: Served,
  port: number,
  hostname?: string,
): Promise<Listening> {
  // Left to the adapter, up to 64 MiB of each unread body would be read and thrown away.
  const route = getRequestListener(app.fetch, { autoCleanupIncoming: false }) as RequestListener;
  const server = createServer((request, response) => {
    endUnread(request, response);
    const ordinary = () => void route(request, response);
    if (!answerFromMemory(request, response, ordinary)) ordinary();
  });
  const connections = watchConnections(server);
  server.on('clientError', answerClientError(connections.isBusy));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(hostname !== undefined && { host: hostname }) }, () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        endConnections: connections.endAfterAnswers,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            connections.endAfterAnswers();
            connections.endIdle();
          }),
      });
    });
  });
}
