import type { ErrorEnvelope } from '@svc/contracts';
import type { CommandContext } from '../command-record.ts';
import { failed, NoAnswerError, StoreError } from '../failure.ts';
import { isDeviceToken } from '../io/credentials.ts';
import type { Terminal } from '../io/terminal.ts';
import { fitText } from '../present/cells.ts';
import type { StoreClient } from '../store-client.ts';
import type { SignInRequest } from './request.ts';

/** Moves to the start of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\u001b[K';

const FRAMES = { unicode: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'], ascii: [...'|/-\\'] };

/** Duration of a spinner frame, in milliseconds. */
const FRAME_MS = 100;

/** A duration as `9:05`, rounded up to seconds. */
function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Shows on a terminal that the program waits for approval, and the remaining time. Replaces the current line. */
export function waitingLine(terminal: Terminal, nowMs: number, remainingMs: number): void {
  if (!terminal.isScreen) return;
  const frames = terminal.unicode ? FRAMES.unicode : FRAMES.ascii;
  const frame = frames[Math.floor(nowMs / FRAME_MS) % frames.length];
  const text = `waiting for approval, ${clockOf(remainingMs)} left`;
  // A full line would wrap, and its first part would remain on the screen.
  terminal.out(`${CLEAR_LINE}${fitText(`${frame} ${text}`, terminal.columns - 1)}`);
}

/** Erases the line. */
export function clearWaiting(terminal: Terminal): void {
  if (terminal.isScreen) terminal.out(CLEAR_LINE);
}

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
  const answer = await client
    .call('POST /api/developer/device/poll', { json: { deviceCode } })
    .catch(outcomeOf);
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
