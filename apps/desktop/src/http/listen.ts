import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guarded } from '@svc/contracts/guarded';
import { isLoopbackAddress } from '@svc/contracts/public-address';
import type { System } from '@svc/runtime';
import { IN_TURN, inTurn } from '@svc/runtime/in-turn';
import { listenAt, listenOnLoopback, makePrivateFolder, writeDurable } from '@svc/runtime/parts';
import { sendError } from './answer.ts';
import { type Exchange, exchangeOf, HttpError } from './exchange.ts';

/** `Host` values of this computer. Any other name is refused (DNS rebinding). */
const hostsOf = (port: number): readonly string[] =>
  ['localhost', '127.0.0.1', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`));

type RequestHead = Pick<IncomingMessage, 'headers' | 'method'> & {
  socket: { remoteAddress?: string | undefined };
};

/** Whether a page of another site made the request. Navigation by a link is allowed: the page contains no secret. */
function isCrossSite({ headers, method }: RequestHead): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(method === 'GET' && (isNavigation || site === 'none'));
}

/**
 * Admits requests from this computer with a loopback host, from the desktop's own page or from no page. Other ports of this computer are
 * other programs and count as cross-site.
 * @param port of the server
 * @throws HttpError 403, and 421 for another host (DNS rebinding)
 */
export function admit(request: RequestHead, port: number): void {
  const { host, origin } = request.headers;
  if (!isLoopbackAddress(request.socket.remoteAddress ?? ''))
    throw new HttpError(403, 'unauthorized', 'svc desktop only accepts requests from this computer.');
  if (host === undefined || !hostsOf(port).includes(host))
    throw new HttpError(421, 'invalid_request', `Wrong host. Use http://localhost:${port}.`);
  if ((origin !== undefined && origin !== `http://${host}`) || isCrossSite(request))
    throw new HttpError(403, 'unauthorized', 'svc desktop does not accept requests from other sites.');
}

/** The request handler; replaced once the desktop is open. */
type Handler = (exchange: Exchange) => Promise<void>;

/** A server of this computer. */
type Serving = {
  /** Sets the handler. */
  serve(handler: Handler): void;
  /** Ends all connections. */
  close(): Promise<void>;
};

/** A server on the loopback interface. */
export type Listening = Serving & {
  port: number;
  /** Origin for browsers. */
  origin: string;
};

/** Creates servers with one handler, which is set later. */
function serverMaker(onFault: (error: unknown) => void, check: (request: IncomingMessage) => void) {
  let handler: Handler = async () => {
    throw new HttpError(503, 'internal', 'svc desktop is still starting.');
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      check(request);
      await handler(exchangeOf(request, response));
    } catch (error) {
      // The client has disconnected.
      if (!response.destroyed) sendError(response, error, onFault);
    }
  };
  const make = (): Server =>
    createServer({ maxHeaderSize: 16_384, ...IN_TURN }, inTurn(guarded(answer, onFault)));
  const serve = (next: Handler): void => {
    handler = next;
  };
  return { make, serve };
}

/**
 * Listens on the loopback addresses for pages and agents. Each request must be admitted first.
 * @param port 0 for any free port
 * @param onFault receives unexpected errors
 * @throws LoopbackError if the port is not available on both addresses
 */
export async function listenForPages(port: number, onFault: (error: unknown) => void): Promise<Listening> {
  let boundPort = port;
  const { make, serve } = serverMaker(onFault, (request) => admit(request, boundPort));
  const servers = await listenOnLoopback(make, port);
  boundPort = servers.port;
  return { port: boundPort, origin: `http://localhost:${boundPort}`, serve, close: servers.close };
}

/** The port of the last desktop of a folder; null for none. */
function lastPort(file: string): number | null {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

/**
 * Listens as `listenForPages`. Without a chosen port it takes that of the last desktop of the folder, if that is free, so that bookmarks
 * and the entries of agents with an address stay valid after a restart.
 */
export async function listenAgain(
  folder: string,
  chosen: number,
  onFault: (error: unknown) => void,
): Promise<Listening> {
  const file = join(folder, 'desktop-port');
  const last = chosen === 0 ? lastPort(file) : null;
  const again = last && (await listenForPages(last, onFault).catch(() => null));
  const listening = again || (await listenForPages(chosen, onFault));
  try {
    if (listening.port !== last) await writeDurable(file, Buffer.from(`${listening.port}\n`));
  } catch (error) {
    onFault(error);
  }
  return listening;
}

/** Longest path of a socket, in bytes: that of macOS, without the final zero. */
const MAX_SOCKET_PATH = 103;

const SOCKET = /^desktop-[\w-]{16}\.sock$/;

/** Whether a program listens on a socket. */
const isServed = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = createConnection(socket);
    connection.once('connect', () => resolve(true)).on('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });

/** Removes the sockets of desktops that were killed. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (SOCKET.test(name) && !(await isServed(join(folder, name))))
      rmSync(join(folder, name), { force: true });
}

/** A socket that other users of the computer can neither open nor replace, and the folder to remove with it. */
function placeOf(folder: string, { randomBytes }: Pick<System, 'randomBytes'>) {
  const name = `desktop-${Buffer.from(randomBytes(12)).toString('base64url')}`;
  if (process.platform === 'win32') return { socket: `\\\\.\\pipe\\svc-${name}`, folder: null };
  const socket = join(folder, `${name}.sock`);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH) return { socket, folder: null };
  const [own = null] = makePrivateFolder(join(tmpdir(), `svc-${name}`));
  if (own === null) throw new Error('The folder for the socket of svc desktop exists already.');
  return { socket: join(own, 'desktop.sock'), folder: own };
}

/**
 * Listens on a socket for programs of the same user: unlike a port, no other user can take it when the desktop exits.
 * @param folder of the desktop, which is private
 * @returns the path of the socket
 */
export async function listenForPrograms(
  folder: string,
  system: Pick<System, 'randomBytes'>,
  onFault: (error: unknown) => void,
): Promise<Serving & { socket: string }> {
  await removeStale(folder);
  const place = placeOf(folder, system);
  const { make, serve } = serverMaker(onFault, () => undefined);
  const server = make();
  await listenAt(server, { path: place.socket });
  if (process.platform !== 'win32') chmodSync(place.socket, 0o600);
  return {
    socket: place.socket,
    serve,
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      if (place.folder !== null) rmSync(place.folder, { recursive: true, force: true });
    },
  };
}
