import type { IncomingMessage, ServerResponse } from 'node:http';
import { guarded } from '@svc/contracts/guarded';
import type { System } from '@svc/runtime';

export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  /** The encoded path, without the query. */
  path: string;
  query: URLSearchParams;
  /** Aborted when the client disconnects before the response is complete. */
  signal: AbortSignal;
};

/** A route. A path that ends with a slash matches everything below it. */
export type Route = {
  path: string;
  /** All methods if omitted. */
  method?: 'GET' | 'POST';
  /** @param rest the decoded rest of the path; empty for a route without a final slash */
  serve(exchange: Exchange, rest: string): Promise<void> | void;
};

/** A route of one method: `on('GET /events', …)`. */
export function on(endpoint: `${'GET' | 'POST'} /${string}`, serve: Route['serve']): Route {
  const [method, path = ''] = endpoint.split(' ') as ['GET' | 'POST', string];
  return { method, path, serve };
}

/** An expected HTTP error. The message is for the user, and contains nothing from the request. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
  }
}

export const notFound = (message = 'Not found.'): HttpError => new HttpError(404, 'not_found', message);

export const invalid = (message: string): HttpError => new HttpError(400, 'invalid_request', message);

/** @throws URIError for an invalid URL */
export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const gone = new AbortController();
  const onClose = () => {
    if (!response.writableFinished) gone.abort(new Error('The client disconnected.'));
  };
  response.once('close', guarded(onClose));
  return { request, response, path, query: new URLSearchParams(query), signal: gone.signal };
}

/** Tracks whether the desktop is in use: pages and agents keep a stream open while they are connected. */
export function createUsage({ now }: Pick<System, 'now'>) {
  let open = 0;
  let usedAt = now();
  return {
    watch: (serve: (exchange: Exchange) => Promise<void>) => (exchange: Exchange) => {
      open += 1;
      const onClose = () => {
        open -= 1;
        usedAt = now();
      };
      exchange.response.once('close', guarded(onClose));
      return serve(exchange);
    },
    /** Time since the last use, in milliseconds. */
    idleMs: () => (open > 0 ? 0 : now() - usedAt),
  };
}

const isFor = ({ path }: Route, requested: string): boolean =>
  path.endsWith('/') && path !== '/' ? requested.startsWith(path) : requested === path;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The path is not validly encoded.');
  }
}

/**
 * Creates the router.
 * @param fallback handles requests without a route
 */
export const serveRoutes =
  (routes: readonly Route[], fallback: (exchange: Exchange) => void) =>
  async (exchange: Exchange): Promise<void> => {
    const { path, request } = exchange;
    const matching = routes.filter((route) => isFor(route, path));
    const [first] = matching;
    if (!first) {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound();
      return fallback(exchange);
    }
    const route = matching.find(({ method }) => method === undefined || method === request.method);
    if (!route) throw new HttpError(405, 'invalid_request', `Use ${first.method}.`);
    await route.serve(exchange, decoded(path.slice(route.path.length)));
  };

const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, 'too-large', `The request is larger than ${maxBytes} bytes.`);

/**
 * Reads the body of a request.
 * @throws HttpError 413 `too-large`, before reading if the request has a content length
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open, because the error response is still sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the JSON body of a request. Cross-site forms cannot send this content type without a CORS preflight.
 * @throws HttpError 400, 413, 415
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new HttpError(415, 'invalid_request', 'Send application/json.');
  const bytes = await readBody(request, maxBytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('The request is not JSON.');
  }
}
