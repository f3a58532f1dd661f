import { RelayResult } from '@svc/contracts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { OAuthError } from './oauth-error.ts';

/** The parameters of an authorization response. */
export type RelayAnswer = Exclude<RelayResult, { pending: true }>;

/** Poll intervals, in milliseconds: short at first, then longer. */
const POLL = { firstMs: 1000, laterMs: 3000, firstTries: 60 };

/** Maximum response size in bytes: twice the longest code. */
const MAX_BYTES = 16 * 1024;

/** Time limit of one request, in milliseconds. */
const LIMIT_MS = 15_000;

/** Whether a request may be retried after this status (RFC 9110 section 15, RFC 6585 section 4). */
const isTransient = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** The redirect URI of sign-ins. */
export const redirectUriOf = (store: string): string =>
  `${store.replace(/(?<!\/)\/+$/, '')}/apps/oauth/callback`;

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new OAuthError('The response of the store is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Polls once; null while there is no response yet, or the store is temporarily unavailable. */
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
 * Polls the relay of the store for the authorization response.
 * @param state of the sign-in; it authorises reading the response, once
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
      // The error may contain the URL with the state.
      throw error instanceof OAuthError ? error : new OAuthError('The response of the store is invalid.');
    });
    signal.throwIfAborted();
    if (answer) return answer;
  }
}
