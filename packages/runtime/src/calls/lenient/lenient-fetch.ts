import { ReadableStream as NodeStream } from 'node:stream/web';
import { isObject } from '@svc/contracts/is-object';
import { bytesOf, isTooDeep, parseAnswer } from '../../network/read-answer.ts';
import { retryAfterIn } from '../../platform/pause-before.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { fieldIn, limitEvents, wholeEvents } from './limit-notifications.ts';
import { CUT_OFF, type RequestId, repairEnvelope, TOO_LARGE } from './repair-envelope.ts';

/** Largest event of a stream that is always parsed, in bytes; larger ones only where they may have a fault. */
const MAX_PARSED = 64 * 1024;

/** How often a lost stream is requested again before its requests end; the MCP client tries as often. */
const MAX_RESUMPTIONS = 2;

/** Maximum number of remembered streams of a connection. */
const MAX_LOST = 100;

/** RFC 6585 section 4 and RFC 9110 section 15.6.4, and longest accepted `Retry-After`, in seconds. */
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

/** The status of a message that is not answered, and those of answers without a body. */
const ACCEPTED = 202;
const EMPTY: readonly number[] = [ACCEPTED, 204, 205];

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';

const isStream = (response: Response): boolean => /^text\/event-stream\b/i.test(typeOf(response));

/** Whether a body may be JSON: some servers name another type of JSON, that of an unknown text or file, or none. */
const isJson = (response: Response): boolean =>
  /^(?:$|(?:application|text)\/(?:[\w.-]+\+)?json\b|text\/plain\b|application\/octet-stream\b)/i.test(
    typeOf(response),
  );

/** The ids of the requests in a body that wait for a response, read once. */
type Ids = () => readonly RequestId[];

function idsIn(body: unknown): Ids {
  let ids: readonly RequestId[] | undefined;
  return () => {
    ids ??= readIds(body);
    return ids;
  };
}

function readIds(body: unknown): RequestId[] {
  try {
    const messages = [JSON.parse(String(body))].flat() as unknown[];
    return messages.flatMap((message) =>
      isObject(message) && 'method' in message && message.id !== undefined ? [message.id as RequestId] : [],
    );
  } catch {
    return [];
  }
}

/** Whether the MCP client reads a response as JSON. */
const isNamedJson = (response: Response): boolean => /^application\/json *(?:;|$)/i.test(typeOf(response));

function asJson(response: Response): Response {
  if (isNamedJson(response)) return response;
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(response.body, { status: response.status, headers });
}

const isResponse = (message: unknown): message is Readonly<Record<string, unknown>> =>
  isObject(message) && ('result' in message || 'error' in message);

/** A request that is not answered, as what came in the place of its response is known. */
const noAnswer = (what: string): RuntimeError =>
  new RuntimeError('server-failed', `The app’s server answers with ${what} instead of a response of MCP.`);

/** A response in JSON whose envelope is repaired when it is read, at no cost for a well-formed one. */
function repairedJson(response: Response, ids: Ids): Response {
  const json = async () => {
    // The fetch of the app bounds its bytes.
    const text = (await bytesOf(response, Number.POSITIVE_INFINITY)).toString();
    let data: unknown;
    try {
      data = parseAnswer(text);
    } catch {
      throw noAnswer('text that is no JSON');
    }
    const messages = [data].flat().map((message) => repairEnvelope(message, ids));
    const answered = messages.filter(isResponse).map(({ id }) => String(id));
    if (!ids().some((id) => answered.includes(String(id)))) throw noAnswer('other JSON');
    return Array.isArray(data) ? messages : messages[0];
  };
  return Object.defineProperty(response, 'json', { value: json });
}

/** Reads the response to a request, which is none in a stream. @throws RuntimeError `server-failed` for another type than JSON */
async function readJson(response: Response, ids: Ids): Promise<Response> {
  const { status, body } = response;
  if (!EMPTY.includes(status) && isJson(response)) return repairedJson(asJson(response), ids);
  await body?.cancel();
  if (EMPTY.includes(status)) throw noAnswer(String(status));
  // The type is not quoted: a server could echo the token in it.
  throw noAnswer(/^text\/html\b/i.test(typeOf(response)) ? 'a page' : 'another type of content');
}

/** The requests that a stream has to answer, and the id of its last event. */
type Watched = { waiting: Set<RequestId>; lastEvent: string | null };

/** Reads one event; returns its bytes, repaired if needed. */
function readEvent(bytes: Buffer, watched: Watched): Uint8Array {
  const isLarge = bytes.byteLength > MAX_PARSED;
  const head = bytes.toString('utf8', 0, isLarge ? 1024 : bytes.byteLength);
  watched.lastEvent = fieldIn(head, 'id') || watched.lastEvent;
  if (isLarge && !bytes.includes('"_meta"') && !bytes.includes('"error"')) {
    // Only a response is that large.
    watched.waiting.clear();
    return bytes;
  }
  const data = fieldIn(isLarge ? bytes.toString() : head, 'data');
  if (data === null) return bytes;
  if (isTooDeep(data)) {
    const ends = endsOf(watched.waiting, TOO_LARGE);
    watched.waiting.clear();
    return Buffer.from(ends);
  }
  try {
    const given: unknown = JSON.parse(data);
    // Revision 2025-03-26 has lists of messages.
    const messages = [given].flat().map((message) => repairEnvelope(message, () => [...watched.waiting]));
    for (const message of messages.filter(isResponse)) {
      watched.waiting.delete(message.id as RequestId);
      watched.waiting.delete(Number(message.id));
    }
    // The MCP client reads events of the type "message" only.
    const isNamed = !['', 'message'].includes(fieldIn(head, 'event') ?? '') && messages.some(isResponse);
    if (messages[0] === given && !isNamed) return bytes;
    const id = fieldIn(head, 'id');
    const start = id === null ? '' : `id: ${id}\n`;
    return Buffer.from(messages.map((message) => `${start}data: ${JSON.stringify(message)}\n\n`).join(''));
  } catch {
    return bytes;
  }
}

const endsOf = (ids: Iterable<RequestId>, error: object): string =>
  [...ids].map((id) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`).join('');

/**
 * The events of a stream, repaired. A stream that ends without its response, and cannot be resumed because it has no event ids, ends
 * its requests: the MCP client would wait for their time limit.
 * @param onLost called at the end of a stream that can be resumed
 */
async function* eventsOf(
  events: AsyncGenerator<Buffer>,
  watched: Watched,
  onLost: (watched: Watched) => void,
): AsyncGenerator<Uint8Array> {
  let end: object = CUT_OFF;
  try {
    for await (const event of events) yield readEvent(event, watched);
  } catch (error) {
    if (watched.waiting.size === 0) throw error;
    if (error instanceof RuntimeError && error.code === 'too-large') end = TOO_LARGE;
    else if (watched.lastEvent !== null) {
      onLost(watched);
      throw error;
    }
  }
  if (watched.waiting.size === 0) return;
  if (watched.lastEvent !== null && end === CUT_OFF) onLost(watched);
  else yield Buffer.from(endsOf(watched.waiting, end));
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

const streamOf = (events: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> =>
  NodeStream.from(events) as ReadableStream<Uint8Array>;

/** The server allows no request now. */
export class RetryLaterError extends Error {
  readonly status: number;
  readonly text: string;
  /** Seconds until the next attempt, as the server says; null when it does not. */
  readonly retryAfter: number | null;

  constructor({ status, headers }: Response, text: string) {
    super(`The server answers ${status}.`);
    this.status = status;
    this.text = text;
    this.retryAfter = retryAfterIn(headers);
  }
}

const isLimited = ({ status, headers }: Response): boolean =>
  status === TOO_MANY_REQUESTS || (status === UNAVAILABLE && headers.has('retry-after'));

/** A stream that ended before its response, and how often it was requested again. */
type LostStream = { watched: Watched; attempts: number };

/**
 * Wraps the fetch of an MCP connection, so that the MCP client reads imperfect answers: envelopes are repaired, a stream that breaks
 * off ends its requests at once, a refusal keeps its words and its `Retry-After`, and notifications are limited.
 */
export function lenientFetch(
  fetch: typeof globalThis.fetch,
  system: Pick<System, 'now' | 'sleep'>,
): typeof globalThis.fetch {
  const lostStreams = new Map<string, LostStream>();

  function onLost(watched: Watched): void {
    lostStreams.set(watched.lastEvent ?? '', { watched, attempts: 0 });
    const [oldest] = lostStreams.keys();
    if (lostStreams.size > MAX_LOST && oldest !== undefined) lostStreams.delete(oldest);
  }

  const readStream = ({ body, status, headers }: Response, watched: Watched): Response => {
    const events = body && eventsOf(limitEvents(wholeEvents(body), system), watched, onLost);
    return new Response(events && streamOf(events), { status, headers });
  };

  /** Requests the rest of a stream. When the server does not give it, its requests end. */
  async function resume(key: string, lost: LostStream, send: () => Promise<Response>): Promise<Response> {
    lost.attempts += 1;
    const end = () => {
      lostStreams.delete(key);
      return new Response(endsOf(lost.watched.waiting, CUT_OFF), { headers: EVENT_STREAM });
    };
    let response: Response;
    try {
      response = await send();
    } catch (error) {
      if (lost.attempts < MAX_RESUMPTIONS) throw error;
      return end();
    }
    if (response.ok && isStream(response)) {
      lostStreams.delete(key);
      return readStream(response, lost.watched);
    }
    const isRefused = response.status >= 400 && response.status < 500;
    if (!isRefused && lost.attempts < MAX_RESUMPTIONS) return response;
    await response.body?.cancel();
    return end();
  }

  async function readResponse(response: Response, ids: Ids | null): Promise<Response> {
    if (isLimited(response)) {
      const words = await bytesOf(response, MAX_PARSED).catch(() => Buffer.alloc(0));
      throw new RetryLaterError(response, words.toString());
    }
    const answers = response.ok ? ids : null;
    if (isStream(response)) return readStream(response, { waiting: new Set(answers?.()), lastEvent: null });
    return answers === null ? response : readJson(response, answers);
  }

  return async (input, init) => {
    const key = init?.method === 'GET' ? (new Headers(init.headers).get('last-event-id') ?? '') : '';
    const lost = lostStreams.get(key);
    if (lost) return resume(key, lost, () => fetch(input, init));
    const response = await fetch(input, init);
    if (init?.method !== 'POST') return isStream(response) ? readResponse(response, null) : response;
    const ids = idsIn(init.body);
    if (ids().length > 0) return readResponse(response, ids);
    // Nothing is answered to a notification and to an answer (Streamable HTTP, "Sending Messages to the Server"): some servers refuse it, or answer with another status.
    await response.body?.cancel();
    return new Response(null, { status: ACCEPTED });
  };
}
