import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { listenOnLoopback } from '../network/listen-on-loopback.ts';

/** A server on this machine alone, for panels. */
export type PanelListener = {
  /** Where it listens. */
  address: string;
  /** The origin that a name stands for. Browsers lead every name under `localhost` to this machine without asking (RFC 6761). */
  originOf(name: string): string;
  /** All these origins as one source of a content security policy, for the page in which panels are shown. */
  readonly source: string;
  close(): Promise<void>;
};

/** `Host` as a browser writes it for one of our origins; what DNS could lead here has another. */
const hostOf = (port: number) => new RegExp(`^[a-z0-9-]{1,63}\\.localhost:${port}$`);

function asRequest({ method = '', url = '', headers }: IncomingMessage, host: RegExp): Request | null {
  if (!host.test(headers.host ?? '') || !url.startsWith('/') || (method !== 'GET' && method !== 'HEAD'))
    return null;
  const kept = new Headers();
  for (const name of ['sec-fetch-dest', 'service-worker']) {
    const value = headers[name];
    if (typeof value === 'string') kept.set(name, value);
  }
  return new Request(`http://${headers.host}${url}`, { method, headers: kept });
}

async function send(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (incoming.method === 'HEAD' || !response.body) outgoing.end();
  else await pipeline(response.body, outgoing);
}

/**
 * Serves panels over HTTP on a free port of both loopback addresses.
 * @param serve what answers; `panels.serve`
 * @throws LoopbackError when no port can be had at both addresses
 */
export async function listenForPanels(
  serve: (request: Request) => Response | Promise<Response>,
  onFault: (error: unknown) => void,
): Promise<PanelListener> {
  let host = /^$/;
  const make = () =>
    createServer({ maxHeaderSize: 16_384 }, (incoming, outgoing) => {
      const request = asRequest(incoming, host);
      if (!request) return void outgoing.writeHead(421).end();
      Promise.resolve(serve(request))
        .then((response) => send(response, incoming, outgoing))
        .catch((error) => {
          outgoing.destroy();
          // A browser that goes away in the middle is no fault.
          if (!incoming.socket.destroyed) onFault(error);
        });
    });
  const { port, close } = await listenOnLoopback(make);
  host = hostOf(port);
  return {
    address: `http://127.0.0.1:${port}`,
    originOf: (name) => `http://${name}.localhost:${port}`,
    source: `http://*.localhost:${port}`,
    close,
  };
}
