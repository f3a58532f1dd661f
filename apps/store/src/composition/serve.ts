import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { ERRORS, type ErrorCode, type ErrorEnvelope } from '@svc/contracts';
import { guarded, inBackground, reportFault } from '@svc/contracts/guarded';
import { IN_TURN, inTurn } from '@svc/runtime/in-turn';
import type { AnswerFromMemory } from '../core/catalog/answer-from-memory.ts';
import type { Readiness } from '../core/operations/readiness.ts';
import { createFairShare } from '../platform/fair-share.ts';
import type { Log } from '../platform/system.ts';
import type { HeldPort } from './held-port.ts';

/** The connections of a server, for a graceful shutdown. */
type Connections = {
  /** From now on every response, also to open requests, ends its connection. */
  endAfterAnswers(): void;
  /** Ends every connection without an open request, now or as soon as its last request ends. */
  endIdle(): void;
  /** Whether a connection has an open request. */
  isBusy(socket: Socket): boolean;
};

/**
 * Watches the last response of each connection, which ends after all others of it. `closeIdleConnections` of Node leaves connections open
 * on which no request was ever sent, such as those that browsers open in advance: a server would wait a minute for each.
 */
export function watchConnections(server: Server): Connections {
  const last = new Map<Socket, ServerResponse | null>();
  let ending = false;
  let closing = false;

  const isBusy = (socket: Socket) => last.get(socket)?.closed === false;
  const endWhenIdle = (socket: Socket) => {
    if (isBusy(socket))
      last.get(socket)?.once(
        'close',
        guarded(() => endWhenIdle(socket)),
      );
    else socket.destroySoon();
  };
  const onConnection = (socket: Socket) => {
    last.set(socket, null);
    socket.once(
      'close',
      guarded(() => last.delete(socket)),
    );
    if (closing) endWhenIdle(socket);
  };
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (socket.destroyed) return;
    last.set(socket, response);
    if (ending) response.shouldKeepAlive = false;
  };
  server.on('connection', guarded(onConnection));
  server.prependListener('request', guarded(onRequest));
  return {
    isBusy,
    endAfterAnswers() {
      ending = true;
      for (const response of last.values()) if (response) response.shouldKeepAlive = false;
    },
    endIdle() {
      closing = true;
      for (const socket of last.keys()) endWhenIdle(socket);
    },
  };
}

/** The refusal for each error of Node's HTTP parser, as a code of the error table and a message. */
const REFUSALS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The address and headers of the request are over 16 KiB: shorten them.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'bundle_too_large',
    'The extensions of the chunks are over 16 KiB: send the body without them.',
  ],
  TWO_HOSTS: [
    'invalid_request',
    'The request has two Host header fields, which proxies and servers read differently: send one (RFC 9112 section 3.2).',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    'The request did not arrive completely in time: send it again.',
  ],
};

const MALFORMED: [ErrorCode, string] = ['invalid_request', 'This is not a valid HTTP/1.1 request.'];

/** The refusal of a request before it is routed, with the common error envelope. It ends the connection. */
function refusalFor(errorCode: string | undefined) {
  const [code, message] = REFUSALS[errorCode ?? ''] ?? MALFORMED;
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message, requestId } satisfies ErrorEnvelope);
  const { status } = ERRORS[code];
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { status, headers, body };
}

/** The complete response to a request that Node's parser refused. */
function responseFor(errorCode: string | undefined): string {
  const { status, headers, body } = refusalFor(errorCode);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/**
 * Answers a request that Node's parser refused, and ends its connection.
 * @param isBusy whether a response is being sent on the connection, into which another must not be written
 */
const answerClientError =
  (isBusy: (socket: Socket) => boolean) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || isBusy(socket)) socket.destroy();
    else socket.end(responseFor(error.code), () => socket.destroySoon());
  };

/** A listening server. */
export type Listening = {
  /** The port; the requested one unless that was 0. */
  port: number;
  /** From now on every response ends its connection, so that the client can reconnect to another process. */
  endConnections(): void;
  /**
   * Accepts no new connections, ends the idle ones, lets the open requests finish, and resolves after the last one.
   */
  close(): Promise<void>;
};

/** Whether a request has more than one Host header field: Node reads the first, and a proxy before it may read another. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}

/** For a year, browsers use no http address of a store whose address is https (RFC 6797). Hosts below it are not the store's to decide on. */
const HSTS = 'max-age=31536000';

/** What a server serves: an application, and a fast path that answers some requests from memory. */
export type Served = {
  /** Whether the address of the store is https. */
  isHttps: boolean;
  app: { fetch: Parameters<typeof getRequestListener>[0] };
  answerFromMemory: AnswerFromMemory;
};

/** Maximum declared bytes of a body that is discarded without further limits, so that its connection stays open. */
const SMALL_BODY = 64 * 1024;

/** Maximum bytes of a body that are read and discarded after its response, so that the connection can stay open. */
const DRAINED_BYTES = 4 * 1024 * 1024;

/** How long a client has to send these and to read its response, in milliseconds. */
const LINGER_MS = 2_000;

/** How fast all such bodies together are read: discarding them must not slow down other requests. */
const DRAINING = { perTurn: 64 * 1024, perSecond: 32 * 1024 * 1024, burst: DRAINED_BYTES };

const drainTurn = createFairShare(DRAINING);

/**
 * Maximum bodies that wait to be discarded, some 128 KiB each. A client that sends on after its response makes one more with each
 * request, and a flood of them comes faster than they are discarded: those beyond end with their connection.
 */
const MAX_WAITING = 128;

let waiting = 0;

/** Reads and discards the rest of a body, up to a size; ends the connection of a body that does not end by then. */
function drain(request: IncomingMessage): void {
  let remaining = DRAINED_BYTES;
  // Node removes the socket from a request that is over, which may be before the timer.
  const { socket } = request;
  const timer = setTimeout(
    guarded(() => socket.destroy()),
    LINGER_MS,
  ).unref();
  const discard = async (chunk: Buffer) => {
    remaining -= chunk.byteLength;
    request.pause();
    if (remaining < 0) return;
    if (waiting >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    waiting += 1;
    await drainTurn('', chunk.byteLength);
    waiting -= 1;
    request.resume();
  };
  request.on('data', guarded(discard));
  request.once(
    'end',
    guarded(() => clearTimeout(timer)),
  );
  request.resume();
}

/**
 * Ends a connection on which a large body still arrives after its response, such as that of a refused request. A little more of the
 * body is read, and the connection ends a moment later: a client that is reset while it sends may lose the response (RFC 9112
 * section 9.6). When the body ends by then, the connection stays open for further requests.
 */
function endUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const end = () => {
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (request.complete || length <= SMALL_BODY) return;
    // Node reads and discards a body that was never read; a body that was read in part waits to be read further.
    request.read(0);
    drain(request);
  };
  // Before Node's own listener.
  response.prependOnceListener('finish', guarded(end));
}

/**
 * Listens on a port.
 * @param at a port, or one that this process holds
 * @param hostname address to listen on; all addresses when omitted
 * @throws the error of the socket, such as EADDRINUSE
 */
export function listen(
  { app, answerFromMemory, isHttps }: Served,
  at: number | HeldPort,
  hostname?: string,
): Promise<Listening> {
  // By default the adapter would read and discard up to 64 MiB of each unread body.
  const route = getRequestListener(app.fetch, { autoCleanupIncoming: false }) as RequestListener;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    endUnread(request, response);
    if (isHttps) response.setHeader('Strict-Transport-Security', HSTS);
    if (hasTwoHosts(request)) {
      const { status, headers, body } = refusalFor('TWO_HOSTS');
      response.writeHead(status, headers).end(body);
      return;
    }
    const ordinary = () => inBackground(Promise.resolve(route(request, response)));
    if (!answerFromMemory(request, response, ordinary)) ordinary();
  };
  const server = createServer(
    IN_TURN,
    inTurn(
      guarded(answer, (error, { socket }) => {
        reportFault(error);
        socket.destroy();
      }),
    ),
  );
  const connections = watchConnections(server);
  server.on('clientError', guarded(answerClientError(connections.isBusy)));
  return new Promise((resolve, reject) => {
    // An error of a later moment, such as of a connection that could not be accepted, concerns only that connection.
    const onError = (error: Error) => (server.listening ? reportFault(error) : reject(error));
    server.on('error', guarded(onError));
    const place =
      typeof at === 'number' ? { port: at, ...(hostname !== undefined && { host: hostname }) } : at.holder;
    server.listen(place, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
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

/** How long load balancers have to learn from `/readyz` that this process stops, in milliseconds. */
const NOTICE_MS = 5_000;

/** After this many milliseconds a process that has not stopped is ended: a slow client could delay it for ever. */
const DEADLINE_MS = 30_000;

/** One Ctrl-C reaches a process up to three times, in milliseconds: from the terminal, from npm and from what npm runs. */
const ECHO_MS = 300;

/** The parts to stop, in this order. */
export type Stoppable = {
  server: Pick<Listening, 'endConnections' | 'close'>;
  store: { readiness: Pick<Readiness, 'end'>; close(): Promise<void> };
  inspector: { close(): Promise<void> };
};

/**
 * Stops a store without dropping a request. `/readyz` fails from the beginning. If a load balancer polls it, the store keeps serving
 * for a moment, so that new requests go elsewhere; then it refuses new connections, ends idle ones, and finishes the open requests.
 */
export async function stop({ server, store, inspector }: Stoppable): Promise<void> {
  const balanced = store.readiness.end();
  server.endConnections();
  if (balanced) await sleep(NOTICE_MS);
  await server.close();
  await store.close();
  await inspector.close();
}

/**
 * Stops the store at SIGTERM and SIGINT. A second signal, or reaching the deadline, ends the process immediately with exit code 1;
 * nothing that was acknowledged is lost.
 * @returns stops it in the same way after an error that no code caught, with exit code 1
 */
export function stopOnSignals(parts: Stoppable, log: Log): () => void {
  let since: number | undefined;
  const exit = (fields: object, message: string) => {
    log.error(fields, message);
    process.exit(1);
  };
  const begin = (onStopped: () => void) => {
    since = performance.now();
    const giveUp = () => exit({}, 'Stopped before all requests finished: they took too long.');
    setTimeout(guarded(giveUp), DEADLINE_MS).unref();
    stop(parts).then(onStopped, (error: unknown) => exit({ err: error }, 'Stopping failed.'));
  };
  const onSignal = (signal: string) => {
    if (since !== undefined) {
      if (performance.now() - since > ECHO_MS) exit({ signal }, 'Stopped immediately after a second signal.');
      return;
    }
    log.info({ signal }, 'Stopping after the open requests.');
    begin(() => {});
  };
  process.on('SIGTERM', guarded(onSignal));
  process.on('SIGINT', guarded(onSignal));
  return () => {
    process.exitCode = 1;
    if (since === undefined) begin(() => process.exit(1));
  };
}
