import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server, so that it can take leave of its clients. */
export type Connections = {
  /** From now on every answer, also to the requests under way, ends its connection. */
  endAfterAnswers(): void;
  /** Ends every connection on which no request is under way, now or as soon as that is so. */
  endIdle(): void;
  /** Whether a request is under way on a connection. */
  isBusy(socket: Socket): boolean;
};

/**
 * Keeps count of the requests under way on each connection. Node's own `closeIdleConnections` leaves a connection open on
 * which nothing was ever sent, such as browsers open in advance: a server would wait a minute for each.
 */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, number>();
  const underWay = new Set<ServerResponse>();
  let ending = false;
  let closing = false;

  const endIfIdle = (socket: Socket) => {
    if (closing && open.get(socket) === 0) socket.destroySoon();
  };
  server.on('connection', (socket: Socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
    endIfIdle(socket);
  });
  server.prependListener('request', ({ socket }, response) => {
    open.set(socket, (open.get(socket) ?? 0) + 1);
    underWay.add(response);
    if (ending) response.shouldKeepAlive = false;
    response.once('close', () => {
      underWay.delete(response);
      if (!open.has(socket)) return;
      open.set(socket, (open.get(socket) ?? 1) - 1);
      endIfIdle(socket);
    });
  });
  return {
    isBusy: (socket) => (open.get(socket) ?? 0) > 0,
    endAfterAnswers() {
      ending = true;
      for (const response of underWay) response.shouldKeepAlive = false;
    },
    endIdle() {
      closing = true;
      for (const socket of open.keys()) endIfIdle(socket);
    },
  };
}
