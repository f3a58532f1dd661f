import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { guarded } from '@svc/contracts/guarded';
import type { Dispatcher } from 'undici/index.js';
import { RuntimeError } from '../platform/runtime-error.ts';

/**
 * A response that reports the end of its body, with its errors converted by `faultOf`.
 * @param onEnd called when the body was read to its end, failed or was cancelled
 * @param faultOf converts an error of the body
 */
export function watchedBody(
  response: Response,
  { onEnd, faultOf }: { onEnd: () => void; faultOf: (error: unknown) => unknown },
): Response {
  const { body, status, statusText, headers } = response;
  if (!body) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        onEnd();
      } catch (error) {
        controller.error(faultOf(error));
        onEnd();
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(watched, { status, statusText, headers });
}

/** Responses without a body (Fetch standard, "null body status"). */
const NO_BODY = new Set([101, 204, 205, 304]);

/** Some servers refuse requests without a user agent. Without a coding, small bodies need no decoder. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'svc' };

export type Outgoing = { url: URL; method: string; headers: Headers; body: string | null };

/** The names and values of headers. */
function headersOf(headers: IncomingHttpHeaders): [string, string][] {
  const read: [string, string][] = [];
  for (const [name, values] of Object.entries(headers)) {
    if (typeof values === 'string') read.push([name, values]);
    else for (const value of values ?? []) read.push([name, value]);
  }
  return read;
}

/** The decoder for each content coding (RFC 9110 section 8.4.1). */
const UNPACKING = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The maximum number of codings of a body: each layer multiplies the possible decompressed size. */
const MAX_LAYERS = 3;

/** The decoders of a body, the outermost first. Some servers compress although we request no coding; a body with an unknown coding stays as it is. */
function decodersOf(headers: IncomingHttpHeaders): Transform[] {
  const named = [headers['content-encoding'] ?? []].flat().join(',').toLowerCase();
  if (named === '') return [];
  const layers = named.split(',').map((coding) => UNPACKING.get(coding.trim()));
  if (layers.length > MAX_LAYERS || layers.includes(undefined)) return [];
  return layers.reverse().flatMap((layer) => layer?.() ?? []);
}

/**
 * How many bytes are buffered for the reader of a body. Pausing and resuming the connection for every chunk, whenever the reader is
 * briefly busy, doubles the time for a large file.
 */
const AHEAD: QueuingStrategy<Uint8Array> = {
  highWaterMark: 1024 * 1024,
  size: (piece) => piece.byteLength,
};

/** Where the pieces of a body come from. */
type Source = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>;

/** A stream of a body, and what fills it. */
type Filled = {
  stream: ReadableStream<Uint8Array>;
  take(piece: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
};

/** A body as a stream, with a bounded buffer and a size limit. */
function plainBody(source: Source, maxBytes: number): Filled {
  let bytes = 0;
  // Pieces can still arrive after the end of the stream, which then accepts none.
  let ended = false;
  const ending = (end: () => void): void => {
    if (!ended) end();
    ended = true;
  };
  let into: ReadableStreamDefaultController<Uint8Array> | undefined;
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    into = controller;
  };
  const cancel = () => {
    ended = true;
    source.abort(new Error('The body is not read to its end.'));
  };
  return {
    stream: new ReadableStream({ start, pull: () => source.resume(), cancel }, AHEAD),
    take(piece) {
      if (ended) return;
      bytes += piece.byteLength;
      if (bytes > maxBytes) {
        const tooLarge = new RuntimeError('too-large', `The answer has more than ${maxBytes} bytes.`);
        ending(() => into?.error(tooLarge));
        return source.abort(tooLarge);
      }
      into?.enqueue(piece);
      if ((into?.desiredSize ?? 0) <= 0) source.pause();
    },
    end: () => ending(() => into?.close()),
    fail: (error) => ending(() => into?.error(error)),
  };
}

/** A body whose pieces are decoded first. Its limit is that of the decoded pieces. */
function decodedBody(layers: readonly [Transform, ...Transform[]], source: Source, maxBytes: number): Filled {
  const [first] = layers;
  const last = layers.at(-1) ?? first;
  // The last stream of the pipeline reports every error.
  if (layers.length > 1) pipeline(layers, () => undefined);
  const abort = (reason: Error) => {
    source.abort(reason);
    first.destroy();
    last.destroy();
  };
  const body = plainBody({ pause: () => last.pause(), resume: () => last.resume(), abort }, maxBytes);
  const fail = (error: unknown) => {
    body.fail(error);
    abort(error as Error);
  };
  last.on('data', guarded(body.take, fail));
  last.on('end', guarded(body.end));
  last.on('error', guarded(fail));
  last.on(
    'close',
    guarded(() => body.fail(new Error('The answer breaks off.'))),
  );
  first.on(
    'drain',
    guarded(() => source.resume()),
  );
  return {
    stream: body.stream,
    take: (piece) => first.write(piece) || source.pause(),
    end: () => first.end(),
    fail: (error) => first.destroy(error as Error),
  };
}

function bodyOf(source: Source, headers: IncomingHttpHeaders, maxBytes: number): Filled {
  const [first, ...others] = decodersOf(headers);
  return first ? decodedBody([first, ...others], source, maxBytes) : plainBody(source, maxBytes);
}

/** The status, the headers and the body of a response. @throws RuntimeError `server-failed` for an invalid status */
function responseOf(source: Source, status: number, headers: IncomingHttpHeaders, maxBytes: number) {
  const body = NO_BODY.has(status) ? null : bodyOf(source, headers, maxBytes);
  try {
    const response = new Response(body?.stream ?? null, { status, headers: headersOf(headers) });
    return { response, body };
  } catch {
    throw new RuntimeError('server-failed', `The server answers with the status ${status}.`);
  }
}

/**
 * Sends one request, without following redirects. It takes half as long as undici's `fetch`, and has no origins and caches, which only
 * pages need.
 * @param maxBytes of the decompressed body
 * @throws the errors of undici, also while the body is read; RuntimeError `server-failed` for an invalid HTTP status,
 *   `too-large`
 */
export function sendRequest(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  { url, method, headers, body }: Outgoing,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<Response> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let sending: Source | null = null;
  let received: ReturnType<typeof responseOf> | null = null;
  const cancel = guarded(() => fail(signal.reason));
  const over = () => signal.removeEventListener('abort', cancel);
  function fail(error: Error): void {
    over();
    received?.body?.fail(error);
    reject(error);
    sending?.abort(error);
  }
  signal.addEventListener('abort', cancel, { once: true });
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as Dispatcher.HttpMethod,
    headers: { ...DEFAULT_HEADERS, ...Object.fromEntries(headers) },
    body,
  };
  dispatcher.dispatch(options, {
    onRequestStart(source) {
      sending = source;
      if (signal.aborted) source.abort(signal.reason);
    },
    onResponseStart(source, status, given) {
      // Informational responses come before (RFC 9110 section 15.2).
      if (status < 200) return;
      try {
        received = responseOf(source, status, given, maxBytes);
        resolve(received.response);
      } catch (error) {
        fail(error as Error);
      }
    },
    onResponseData(source, piece) {
      if (received?.body) received.body.take(piece);
      else source.abort(new Error('A response of this status has no body.'));
    },
    onResponseEnd() {
      over();
      received?.body?.end();
    },
    onResponseError: (_, error) => fail(error),
  });
  return promise;
}
