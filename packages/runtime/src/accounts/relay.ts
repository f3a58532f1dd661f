import { RelayResult } from '@svc/contracts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { OAuthError } from './oauth-error.ts';

/** What an OAuth server sent the browser back with. */
export type RelayAnswer = Exclude<RelayResult, { pending: true }>;

/** How often the store is asked, in milliseconds: soon while people are quick, then seldom. */
const POLL = { firstMs: 1000, laterMs: 3000, firstTries: 60 };

/** Most bytes of an answer: twice the longest code. */
const MAX_BYTES = 16 * 1024;

/** Longest time for one question. */
const LIMIT_MS = 15_000;

/** Answers after which it is worth asking again (RFC 9110 section 15, RFC 6585 section 4). */
const isTransient = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** Address that sign-in servers send browsers back to. */
export const redirectUriOf = (store: string): string =>
  `${store.replace(/(?<!\/)\/+$/, '')}/apps/oauth/callback`;

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new OAuthError('The store answers with too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Asks once; null while nothing is there, or the store is away for a moment. */
async function poll(fetchStore: typeof fetch, url: string, signal: AbortSignal): Promise<RelayAnswer | null> {
  const response = await fetchStore(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal,
  }).catch(() => null);
  if (!response || isTransient(response.status)) {
    await response?.body?.cancel();
    return null;
  }
  const result = RelayResult.safeParse(JSON.parse(await boundedText(response)));
  if (!response.ok || !result.success) throw new SyntaxError('no answer of a relay');
  return 'pending' in result.data ? null : result.data;
}

/**
 * Waits until the store has what the OAuth server sent the browser back with.
 * @param state of the sign-in; the one who knows it gets the answer, once
 * @throws OAuthError; the signal's reason when it is aborted
 */
export async function awaitAnswer(
  { fetchStore, system }: { fetchStore: typeof fetch; system: Pick<System, 'sleep'> },
  store: string,
  state: string,
  signal: AbortSignal,
): Promise<RelayAnswer> {
  const url = `${store.replace(/(?<!\/)\/+$/, '')}/api/apps/oauth/result?state=${encodeURIComponent(state)}`;
  for (let tries = 0; ; tries += 1) {
    await system.sleep(tries < POLL.firstTries ? POLL.firstMs : POLL.laterMs, signal);
    const response = withinTime(system, LIMIT_MS, signal, (limit) => poll(fetchStore, url, limit));
    const answer = await response.catch((error: unknown) => {
      // What was thrown may hold the address, and in it the state.
      throw error instanceof OAuthError
        ? error
        : new OAuthError('The store does not answer as a store does.');
    });
    signal.throwIfAborted();
    if (answer) return answer;
  }
}
