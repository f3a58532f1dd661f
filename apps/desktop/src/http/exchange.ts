import type { IncomingMessage, ServerResponse } from 'node:http';
import { guarded } from '@svc/contracts/guarded';

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
