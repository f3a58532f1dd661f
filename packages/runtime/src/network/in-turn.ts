import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { guarded } from '@svc/contracts/guarded';

/** Requests that may wait on a connection for the responses before theirs. */
const MAX_AHEAD = 32;

/** The properties of a request after which Node reads its connection no more: the bytes after CONNECT are not HTTP (RFC 9110 section 9.3.6). */
const LAST: PropertyDescriptorMap = {
  method: { get: () => 'CONNECT', set: () => undefined },
  upgrade: { get: () => true, set: () => undefined },
};

/** A request. One of a connection that has ended is the last that Node reads of it. */
class RequestOfConnection extends IncomingMessage {
  // All of them are passed on: other programs than Node give others.
  constructor(...given: ConstructorParameters<typeof IncomingMessage>) {
    super(...given);
    const [socket] = given;
    if (socket?.destroyed) Object.defineProperties(this, LAST);
  }
}

/**
 * Options of a server, for `inTurn`. A piece of 64 KiB that was read holds up to 2,400 requests, and Node makes objects of all of them,
 * also when the first of them ended the connection: a thousand such pieces would fill the memory.
 */
export const IN_TURN = { IncomingMessage: RequestOfConnection };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers the requests of a connection one after the other. Those that a client sent without waiting for responses (RFC 9112 section 9.3.2)
 * wait: a client that reads no response would otherwise have thousands of them answered, and kept in memory. One that has more of them
 * than `MAX_AHEAD` loses its connection, and can send them again, as that section says. (Pausing the connection would not help: Node
 * resumes it after each request.)
 * @param answer does not throw: see `guarded`
 */
export function inTurn(answer: Answer): Answer {
  const lines = new WeakMap<Socket, { last: ServerResponse | null; waiting: number }>();
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) {
      line = { last: null, waiting: 0 };
      lines.set(socket, line);
    }
    const { last } = line;
    line.last = response;
    if (!last || last.writableFinished) return answer(request, response);
    line.waiting += 1;
    if (line.waiting > MAX_AHEAD) {
      socket.destroy();
      return;
    }
    const begin = () => {
      line.waiting -= 1;
      if (!socket.destroyed) answer(request, response);
    };
    last.once('close', guarded(begin));
  };
}
