import type { ErrorEnvelope } from '@svc/contracts';
import type { CommandContext } from '../command-context.ts';
import { failed, NoAnswerError, StoreError } from '../failure.ts';
import { isDeviceToken } from '../io/credentials.ts';
import { clearWaiting, waitingLine } from '../present/waiting.ts';
import type { StoreClient } from '../store-client.ts';
import type { SignInRequest } from './request.ts';

/** The outcome of a poll; a final refusal is thrown instead. */
type Outcome =
  | { token: string }
  | { pending: true }
  | { slowDown: true; retryAfterMs: number }
  | { unanswered: true; retryAfterMs: number };

/** Added to the interval after each `slow_down` (RFC 8628 section 3.5). */
const SLOWER_MS = 5_000;

/** Maximum pause after polls without a response. */
const MAX_PAUSE_MS = 60_000;

/** Interval of updates of the waiting line. */
const TICK_MS = 100;

const SECOND = 1_000;

/** Transient error codes, which say nothing about the sign-in. */
const TRANSIENT: ReadonlySet<ErrorEnvelope['code']> = new Set(['rate_limited', 'unavailable', 'internal']);

const expired = () => failed('The code has expired without approval. Run svc login again.');

function outcomeOf(error: unknown): Outcome {
  if (error instanceof NoAnswerError) return { unanswered: true, retryAfterMs: error.retryAfterMs };
  if (!(error instanceof StoreError)) throw error;
  const { code, retryAfter = 0 } = error.envelope;
  const retryAfterMs = retryAfter * SECOND;
  if (code === 'slow_down') return { slowDown: true, retryAfterMs };
  if (TRANSIENT.has(code)) return { unanswered: true, retryAfterMs };
  if (code === 'access_denied') throw failed('The sign-in was denied in the browser.');
  if (code === 'expired') throw expired();
  throw error;
}

async function poll(client: StoreClient, deviceCode: string): Promise<Outcome> {
  const answer = await client.pollSignIn(deviceCode).catch(outcomeOf);
  // Only tokens of the known format can be recognised and hidden in output.
  if ('token' in answer && !isDeviceToken(answer.token)) {
    throw failed('The store sent an invalid token. Is the URL correct?');
  }
  return answer;
}

/** Waits until the next poll, and shows the time until the codes expire. */
async function waitForNextPoll(
  context: CommandContext,
  until: number,
  end: number,
  signal: AbortSignal,
): Promise<void> {
  for (let now = context.now().getTime(); now < until; now = context.now().getTime()) {
    if (signal.aborted) return;
    waitingLine(context.terminal, now, end - now);
    await context.wait(Math.min(TICK_MS, until - now), signal);
  }
}

/**
 * Polls until the user has decided (RFC 8628 sections 3.4 and 3.5), with exponential backoff while the store does not respond.
 * @param signal stops the polling
 * @returns the token, or null when the signal was aborted first
 * @throws CommandError when the sign-in is denied or expires
 */
export async function waitForToken(
  context: CommandContext,
  client: StoreClient,
  request: SignInRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const end = context.now().getTime() + request.expiresInMs;
  let intervalMs = request.intervalMs;
  let pauseMs = intervalMs;
  try {
    for (;;) {
      const now = context.now().getTime();
      if (now >= end) throw expired();
      await waitForNextPoll(context, Math.min(now + pauseMs, end), end, signal);
      if (signal.aborted) return null;
      const outcome = await poll(client, request.deviceCode);
      if ('token' in outcome) return outcome.token;
      if ('slowDown' in outcome) intervalMs += SLOWER_MS;
      const retryAfterMs = 'pending' in outcome ? 0 : outcome.retryAfterMs;
      const baseMs = 'unanswered' in outcome ? Math.min(pauseMs * 2, MAX_PAUSE_MS) : intervalMs;
      pauseMs = Math.max(baseMs, intervalMs, retryAfterMs);
    }
  } finally {
    clearWaiting(context.terminal);
  }
}
