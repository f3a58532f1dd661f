import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request of a browser or a program, and its answer. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  /** As it was sent, without the query: still encoded. */
  path: string;
  query: URLSearchParams;
  /** Aborted when the caller goes away before the answer is whole. */
  signal: AbortSignal;
};

/** What answers under a path; one that ends with a slash answers for all below it. */
export type Route = {
  path: string;
  /** All methods when it is left out. */
  method?: 'GET' | 'POST';
  /** @param rest what of the path comes behind the route's, decoded; empty for one without a slash */
  serve(exchange: Exchange, rest: string): Promise<void> | void;
};

/** An expected "no" of the server itself. The message is for the person, and repeats nothing of what was sent. */
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

export const notFound = (message = 'There is nothing here.'): HttpError =>
  new HttpError(404, 'not_found', message);

export const invalid = (message: string): HttpError => new HttpError(400, 'invalid_request', message);

/** @throws URIError for what is no address */
export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('The caller has gone.'));
  });
  return { request, response, path, query: new URLSearchParams(query), signal: gone.signal };
}
