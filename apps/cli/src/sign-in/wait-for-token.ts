import type { ErrorEnvelope } from '@svc/contracts';
import type { CommandContext } from '../command-context.ts';
import { failed, NoAnswerError, StoreError } from '../failure.ts';
import { isDeviceToken } from '../io/credentials.ts';
import { clearWaiting, waitingLine } from '../present/waiting.ts';
import type { StoreClient } from '../store-client.ts';
import type { SignInRequest } from './request.ts';

/** What a poll can come to, but for a "no" that is the last word. */
type Outcome =
  | { token: string }
  | { pending: true }
  | { slowDown: true; retryAfterMs: number }
  | { unanswered: true; retryAfterMs: number };

/** How much slower to poll after each `slow_down` (RFC 8628 section 3.5). */
const SLOWER_MS = 5_000;

/** Longest pause after polls without an answer. */
const MAX_PAUSE_MS = 60_000;

/** Time between two pictures of the line that shows the waiting. */
const TICK_MS = 100;

const SECOND = 1_000;

/** Refusals that say nothing about the sign-in. */
const PASSING: ReadonlySet<ErrorEnvelope['code']> = new Set(['rate_limited', 'unavailable', 'internal']);

const expired = () => failed('Not approved in time: the code has expired. Run svc login again.');

function outcomeOf(error: unknown): Outcome {
  if (error instanceof NoAnswerError) return { unanswered: true, retryAfterMs: 0 };
  if (!(error instanceof StoreError)) throw error;
  const { code, retryAfter = 0 } = error.envelope;
  const retryAfterMs = retryAfter * SECOND;
  if (code === 'slow_down') return { slowDown: true, retryAfterMs };
  if (PASSING.has(code)) return { unanswered: true, retryAfterMs };
  if (code === 'access_denied') throw failed('The sign-in was denied in the browser.');
  if (code === 'expired') throw expired();
  throw error;
}

async function poll(client: StoreClient, deviceCode: string): Promise<Outcome> {
  const answer = await client.pollSignIn(deviceCode).catch(outcomeOf);
  // What is kept must be known to be a token, or it could not be kept from being shown.
  if ('token' in answer && !isDeviceToken(answer.token)) {
    throw failed('The store hands out what is no token. Is its address right?');
  }
  return answer;
}

/** Lets the time until the next poll pass, and shows how much there is until the codes expire. */
async function pass(world: CommandContext, until: number, end: number, signal: AbortSignal): Promise<void> {
  for (let now = world.now().getTime(); now < until; now = world.now().getTime()) {
    if (signal.aborted) return;
    waitingLine(world.terminal, now, end - now);
    await world.wait(Math.min(TICK_MS, until - now), signal);
  }
}

/**
 * Polls until a person has decided (RFC 8628 sections 3.4 and 3.5). A store that does not answer is asked again, less and
 * less often, until the codes expire.
 * @param signal when it is aborted, nothing is asked any more
 * @returns the token, or null when the waiting was ended before there was one
 * @throws CommandError when the sign-in was denied, or nobody decided in time
 */
export async function waitForToken(
  world: CommandContext,
  client: StoreClient,
  request: SignInRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const end = world.now().getTime() + request.expiresInMs;
  let intervalMs = request.intervalMs;
  let pauseMs = intervalMs;
  try {
    for (;;) {
      const now = world.now().getTime();
      if (now >= end) throw expired();
      await pass(world, Math.min(now + pauseMs, end), end, signal);
      if (signal.aborted) return null;
      const outcome = await poll(client, request.deviceCode);
      if ('token' in outcome) return outcome.token;
      if ('slowDown' in outcome) intervalMs += SLOWER_MS;
      const retryAfterMs = 'pending' in outcome ? 0 : outcome.retryAfterMs;
      const wanted = 'unanswered' in outcome ? Math.min(pauseMs * 2, MAX_PAUSE_MS) : intervalMs;
      pauseMs = Math.max(wanted, intervalMs, retryAfterMs);
    }
  } finally {
    clearWaiting(world.terminal);
  }
}
