import { createServer, type RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { AnswerFromMemory } from './http/answer-from-memory.ts';
import { watchConnections } from './http/connections.ts';

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
  const route = getRequestListener(app.fetch) as RequestListener;
  const server = createServer((request, response) => {
    if (!answerFromMemory(request, response)) route(request, response);
  });
  const connections = watchConnections(server);
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
