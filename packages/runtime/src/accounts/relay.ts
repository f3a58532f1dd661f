import { createHash } from 'node:crypto';
import { RelayResult } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ANSWERS, bytesOf, parseAnswer } from '../network/read-answer.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { OAuthError } from './oauth-error.ts';

/** The parameters of an authorization response. */
export type RelayAnswer = Exclude<RelayResult, { pending: true }>;

/** Poll intervals, in milliseconds: short at first, then longer. */
const POLL = { firstMs: 1000, laterMs: 3000, firstTries: 60 };

/** Polls after which the digits are shown: by then a browser whose user is signed in already may wait for them. */
const TRIES_BEFORE_DIGITS = 3;

/** Time limit of the poll before the browser opens, in milliseconds. */
const ANNOUNCE_MS = 2_000;

/** Time limit of one request, in milliseconds. */
const LIMIT_MS = 15_000;

/**
 * Whether a request may be retried after this response (RFC 9110 section 15, RFC 6585 section 4): the store is unavailable, or something
 * between it and this client answered, such as a firewall or the sign-in page of a network.
 */
const isTransient = ({ status, headers }: Response): boolean =>
  status >= 500 || [403, 408, 429].includes(status) || headers.get('content-type')?.includes('json') !== true;

/** The redirect URI of sign-ins. */
export const redirectUriOf = (store: string): string =>
  `${store.replace(/(?<!\/)\/+$/, '')}/apps/oauth/callback`;

const tooLarge = (): OAuthError => new OAuthError('The response of the store is too large.');

/** Polls once; null while there is no response yet, or the store is temporarily unavailable. */
async function poll(fetchStore: typeof fetch, url: string, signal: AbortSignal): Promise<RelayAnswer | null> {
  const response = await fetchStore(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal,
  }).catch(() => null);
  if (!response || isTransient(response)) {
    await response?.body?.cancel();
    return null;
  }
  const text = (await bytesOf(response, ANSWERS.relay.maxBytes, tooLarge)).toString();
  const result = RelayResult.safeParse(parseAnswer(text));
  if (!response.ok || !result.success) throw new SyntaxError('no answer of a relay');
  return 'pending' in result.data ? null : result.data;
}

/** A sign-in at the relay of a store. */
export type RelaySignIn = {
  store: string;
  /** It authorises reading the response, once. */
  state: string;
  /** The app, if it is from this store: the callback page names it. */
  app?: string | undefined;
  /** Called once with the digits that the callback page may ask for: see `digitsOf`. */
  onDigits?(digits: string): void;
};

/**
 * The digits that the user types on the callback page when the browser has another network address than this client: the first 32 bits of
 * SHA-256 of the state, modulo 1000. Only the client that started the sign-in knows them, so no other client can get its response.
 */
export const digitsOf = (state: string): string =>
  String(createHash('sha256').update(state).digest().readUInt32BE(0) % 1000).padStart(3, '0');

const resultUrl = ({ store, state, app }: RelaySignIn): string =>
  store.replace(/(?<!\/)\/+$/, '') + apiRequest('GET /api/apps/oauth/result', { query: { state, app } }).path;

type Deps = { fetchStore: typeof fetch; system: Pick<System, 'sleep'> };

/**
 * Polls once before the browser opens, so that the store knows the network address of this client: if the browser has the same, the
 * callback page asks for nothing. A failure changes nothing else.
 */
export async function announce(
  { fetchStore, system }: Deps,
  signIn: RelaySignIn,
  signal: AbortSignal,
): Promise<void> {
  await withinTime(system, ANNOUNCE_MS, signal, (limit) => poll(fetchStore, resultUrl(signIn), limit)).catch(
    () => undefined,
  );
  signal.throwIfAborted();
}

/**
 * Polls the relay of the store for the authorization response.
 * @throws OAuthError; the signal's reason when it is aborted
 */
export async function awaitAnswer(
  { fetchStore, system }: Deps,
  signIn: RelaySignIn,
  signal: AbortSignal,
): Promise<RelayAnswer> {
  const url = resultUrl(signIn);
  for (let tries = 0; ; tries += 1) {
    if (tries === TRIES_BEFORE_DIGITS) signIn.onDigits?.(digitsOf(signIn.state));
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
