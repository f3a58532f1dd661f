import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { guarded } from '@svc/contracts/guarded';

/** The connections of a server, for a graceful shutdown. */
export type Connections = {
  /** From now on every response, also to open requests, ends its connection. */
  endAfterAnswers(): void;
  /** Ends every connection without an open request, now or as soon as its last request ends. */
  endIdle(): void;
  /** Whether a connection has an open request. */
  isBusy(socket: Socket): boolean;
};

/**
 * Counts the open requests of each connection. `closeIdleConnections` of Node leaves connections open on which no request was ever sent,
 * such as those that browsers open in advance: a server would wait a minute for each.
 */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, number>();
  const openResponses = new Set<ServerResponse>();
  let ending = false;
  let closing = false;

  const endIfIdle = (socket: Socket) => {
    if (closing && open.get(socket) === 0) socket.destroySoon();
  };
  const onConnection = (socket: Socket) => {
    open.set(socket, 0);
    socket.once(
      'close',
      guarded(() => open.delete(socket)),
    );
    endIfIdle(socket);
  };
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    open.set(socket, (open.get(socket) ?? 0) + 1);
    openResponses.add(response);
    if (ending) response.shouldKeepAlive = false;
    const onClose = () => {
      openResponses.delete(response);
      if (!open.has(socket)) return;
      open.set(socket, (open.get(socket) ?? 1) - 1);
      endIfIdle(socket);
    };
    response.once('close', guarded(onClose));
  };
  server.on('connection', guarded(onConnection));
  server.prependListener('request', guarded(onRequest));
  return {
    isBusy: (socket) => (open.get(socket) ?? 0) > 0,
    endAfterAnswers() {
      ending = true;
      for (const response of openResponses) response.shouldKeepAlive = false;
    },
    endIdle() {
      closing = true;
      for (const socket of open.keys()) endIfIdle(socket);
    },
  };
}
