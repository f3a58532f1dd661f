import type { System } from '../../platform/system.ts';
import { createTokenBucket } from '../../platform/token-bucket.ts';

type Fetch = typeof globalThis.fetch;

/** Streamable HTTP, "Listening for messages from the server": 405 means that there is no such stream. */
const noStream = (): Response => new Response(null, { status: 405 });

/** Whether a request continues a stream that ended. */
const isResumed = (init: RequestInit | undefined): boolean => new Headers(init?.headers).has('last-event-id');

/**
 * Opens no standalone stream for server messages, where nothing is received on it: a server could keep it open and fill it at any time.
 * Many servers send their questions on it, also those that belong to a call.
 */
export const withoutStandaloneStream =
  (fetch: Fetch): Fetch =>
  async (input, init) =>
    init?.method === 'GET' && !isResumed(init) ? noStream() : fetch(input, init);

/** Failures in a row to open a stream, after which a server counts as gone. */
const MAX_LOST = 2;

/**
 * Standalone streams in a row that were opened within this time after the one before, in milliseconds, after which none is opened: some
 * servers answer each with an empty one.
 */
const MAX_SHORT = 3;
const SHORT_MS = 10_000;

/** Rate limit of requests for streams: a server says how soon a stream is requested again (HTML standard, `retry`). */
const REQUESTS = { burst: 5, perSecond: 1 };

/** Whether a response to a request for a standalone stream is something else, such as a page about the address. */
const isOther = ({ ok, headers }: Response): boolean =>
  ok && !headers.get('content-type')?.includes('text/event-stream');

/**
 * Requests streams at a limited rate. Finds out that a server is gone: its streams cannot be opened again, or it knows their events no
 * more. Calls that wait for a response of their own go on: the server may only have started again.
 */
export function watchStreams(
  fetch: Fetch,
  { now, sleep }: Pick<System, 'now' | 'sleep'>,
  lost: () => void,
): Fetch {
  const bucket = createTokenBucket(REQUESTS, now);
  let [failed, short, openedAt] = [0, 0, Number.NEGATIVE_INFINITY];

  async function send(...[input, init]: Parameters<Fetch>): Promise<Response> {
    while (!bucket.take()) await sleep(1_000 / REQUESTS.perSecond, init?.signal ?? undefined);
    return fetch(input, init);
  }

  async function resume(...sent: Parameters<Fetch>): Promise<Response> {
    const response = await send(...sent);
    if (response.status === 404 || response.status === 405) lost();
    return response;
  }

  async function open(...sent: Parameters<Fetch>): Promise<Response> {
    short = now() - openedAt < SHORT_MS ? short + 1 : 0;
    openedAt = now();
    if (short >= MAX_SHORT) return noStream();
    const response = await send(...sent);
    if (!isOther(response)) return response;
    await response.body?.cancel();
    return noStream();
  }

  return async (input, init) => {
    if (init?.method !== 'GET') return fetch(input, init);
    try {
      const response = await (isResumed(init) ? resume(input, init) : open(input, init));
      failed = 0;
      return response;
    } catch (error) {
      failed += 1;
      if (failed === MAX_LOST && init.signal?.aborted !== true) lost();
      throw error;
    }
  };
}
