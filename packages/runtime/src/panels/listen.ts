import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { guarded } from '@svc/contracts/guarded';
import { IN_TURN, inTurn } from '../network/in-turn.ts';
import { listenOnLoopback } from '../network/listen-on-loopback.ts';

/** A server for panels, on this machine only. */
export type PanelListener = {
  /** The URL at which it listens. */
  address: string;
  /** The origin of a name. Browsers resolve every name under `localhost` to this machine without DNS (RFC 6761). */
  originOf(name: string): string;
  /** All these origins as one source of a content security policy, for the page that shows panels. */
  readonly source: string;
  close(): Promise<void>;
};

/** The `Host` header that browsers send for one of our origins; a DNS name that resolves to this machine has another. */
const hostOf = (port: number) => new RegExp(`^[a-z0-9-]{1,63}\\.localhost:${port}$`);

function asRequest({ method = '', url = '', headers }: IncomingMessage, host: RegExp): Request | null {
  if (!host.test(headers.host ?? '') || !url.startsWith('/') || (method !== 'GET' && method !== 'HEAD'))
    return null;
  const forwarded = new Headers();
  for (const name of ['sec-fetch-dest', 'service-worker']) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.set(name, value);
  }
  return new Request(`http://${headers.host}${url}`, { method, headers: forwarded });
}

async function send(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (incoming.method === 'HEAD' || !response.body) outgoing.end();
  else await pipeline(response.body, outgoing);
}

/**
 * Serves panels over HTTP on a free port of both loopback addresses.
 * @param serve the request handler; `panels.serve`
 * @throws LoopbackError when no port is available at both addresses
 */
export async function listenForPanels(
  serve: (request: Request) => Response | Promise<Response>,
  onFault: (error: unknown) => void,
): Promise<PanelListener> {
  let host = /^$/;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    try {
      const request = asRequest(incoming, host);
      if (request) await send(await serve(request), incoming, outgoing);
      else outgoing.writeHead(421).end();
    } catch (error) {
      // A browser that disconnects during a response is not a fault.
      const isFault = !socket.destroyed;
      outgoing.destroy();
      if (isFault) onFault(error);
    }
  };
  const make = () => createServer({ maxHeaderSize: 16_384, ...IN_TURN }, inTurn(guarded(answer, onFault)));
  const { port, close } = await listenOnLoopback(make);
  host = hostOf(port);
  return {
    address: `http://127.0.0.1:${port}`,
    originOf: (name) => `http://${name}.localhost:${port}`,
    source: `http://*.localhost:${port}`,
    close,
  };
}
