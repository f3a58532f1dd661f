import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Responses without a body (Fetch standard, "null body status"). */
const NO_BODY = new Set([101, 204, 205, 304]);

/** Who asks, for servers that answer nobody without a name. */
const DEFAULT_HEADERS = { accept: '*/*', 'user-agent': 'svc' };

export type Outgoing = { url: URL; method: string; headers: Headers; body: string | null };

type Incoming = Dispatcher.ResponseData;

function headersOf({ headers }: Incoming): Headers {
  const read = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values ?? []].flat()) read.append(name, value);
  }
  return read;
}

/** What undoes each coding of a body (RFC 9110 section 8.4.1). */
const UNPACKING = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** How often a body may be packed: each layer multiplies what the one below may grow to. */
const MAX_LAYERS = 3;

/** The body without its codings. Servers are asked for none, and some pack all the same; one that is not known stays. */
function unpacked({ body, headers }: Incoming): Readable {
  const named = [headers['content-encoding'] ?? []].flat().join(',').toLowerCase();
  const codings = named.split(',').map((coding) => coding.trim());
  const layers = codings.reverse().map((coding) => UNPACKING.get(coding));
  if (named === '' || layers.length > MAX_LAYERS || layers.includes(undefined)) return body;
  return layers.reduce<Readable>(
    // What fails is told by the last of them, which is read.
    (from, layer) => (layer ? pipeline(from, layer(), () => undefined) : from),
    body,
  );
}

/**
 * How many bytes of a body may wait for its reader. A connection that is stopped and started again for each piece, because the
 * reader is busy for a moment, takes twice as long for a large file.
 */
const AHEAD: QueuingStrategy<Uint8Array> = {
  highWaterMark: 1024 * 1024,
  size: (piece) => piece.byteLength,
};

/** The body as it comes: somewhat ahead of its reader, and no more than a bound. */
function streamOf(incoming: Incoming, maxBytes: number): ReadableStream<Uint8Array> {
  const body = unpacked(incoming);
  let bytes = 0;
  // What was on its way when the stream ended comes all the same, and a stream that has ended takes nothing.
  let ended = false;
  const ending = (end: () => void): void => {
    if (!ended) end();
    ended = true;
  };

  function take(piece: Buffer, controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (ended) return;
    bytes += piece.byteLength;
    if (bytes > maxBytes) {
      const tooLarge = new RuntimeError('too-large', `The answer has more than ${maxBytes} bytes.`);
      ending(() => controller.error(tooLarge));
      body.destroy();
      return;
    }
    controller.enqueue(piece);
    if ((controller.desiredSize ?? 0) <= 0) body.pause();
  }

  return new ReadableStream(
    {
      start(controller) {
        body.on('data', (piece: Buffer) => take(piece, controller));
        body.on('end', () => ending(() => controller.close()));
        body.on('error', (error) => ending(() => controller.error(error)));
        body.on('close', () => ending(() => controller.error(new Error('The answer breaks off.'))));
      },
      pull() {
        body.resume();
      },
      cancel() {
        ended = true;
        body.destroy();
      },
    },
    AHEAD,
  );
}

/**
 * Sends one request, and follows no redirect. It is undici's `request` in the shape of `fetch`, which takes half as long as its
 * `fetch` and knows nothing of origins and caches that a page would have.
 * @param maxBytes of the body, once it is unpacked
 * @throws what undici throws, also while the body is read; RuntimeError `server-failed` for a status that HTTP does not have,
 *   `too-large`
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  { url, method, headers, body }: Outgoing,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<Response> {
  const answer = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...DEFAULT_HEADERS, ...Object.fromEntries(headers) },
    body,
    signal,
    dispatcher,
  });
  const { statusCode: status } = answer;
  // What ends a body is told to its reader; one that is no longer read has none to tell.
  answer.body.on('error', () => undefined);
  try {
    const hasBody = !NO_BODY.has(status);
    if (!hasBody) await answer.body.dump({ limit: 0, signal });
    return new Response(hasBody ? streamOf(answer, maxBytes) : null, { status, headers: headersOf(answer) });
  } catch (error) {
    answer.body.destroy();
    if (signal.aborted) throw error;
    throw new RuntimeError('server-failed', `The server answers with the status ${status}.`);
  }
}
