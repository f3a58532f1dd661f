import type { VersionState, VersionStatus } from '@svc/contracts';
import type { CommandContext } from './command-context.ts';
import { cancelled, NoAnswerError, StoreError } from './failure.ts';
import type { StoreClient, VersionRef } from './store-client.ts';

/** How often the store is asked, and the longest pause after it could not answer, in milliseconds. */
const POLL_MS = 5_000;
const MAX_POLL_MS = 60_000;

/** From these states a version goes on by itself or by a moderator; the others are final for its publisher. */
const UNDECIDED: ReadonlySet<VersionState> = new Set(['submitted', 'checking', 'in_review', 'approved']);

/** Whether a moderator or the store has yet to decide. */
export const isUndecided = (status: VersionState): boolean => UNDECIDED.has(status);

/** What a publisher waits for: the next state, or that a moderator requests changes. */
const momentOf = ({ status, changesRequestedAt = '' }: VersionStatus): string =>
  `${status} ${changesRequestedAt}`;

/** Refusals that say nothing about the version. */
const TRANSIENT: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'internal']);

function pauseAfter(error: unknown, pauseMs: number): number {
  const isTransient =
    error instanceof NoAnswerError || (error instanceof StoreError && TRANSIENT.has(error.envelope.code));
  if (!isTransient) throw error;
  const asked = error instanceof StoreError ? (error.envelope.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(pauseMs * 2, MAX_POLL_MS));
}

/**
 * Asks the store until a version is decided. A store that does not answer is asked again, less and less often.
 * @param onState called with each new state, the first and the final one too, and when changes are requested
 * @returns the final record
 * @throws CommandError with exit code 130 when Ctrl-C ends the waiting
 */
export async function followVersion(
  context: CommandContext,
  client: StoreClient,
  ref: VersionRef,
  onState: (record: VersionStatus) => void | Promise<void>,
): Promise<VersionStatus> {
  const signal = context.interrupted();
  let shown: string | undefined;
  for (let pauseMs = POLL_MS; ; ) {
    try {
      const record = await client.status(ref);
      pauseMs = POLL_MS;
      if (momentOf(record) !== shown) await onState(record);
      shown = momentOf(record);
      if (!isUndecided(record.status)) return record;
    } catch (error) {
      pauseMs = pauseAfter(error, pauseMs);
    }
    await context.wait(pauseMs, signal);
    if (signal.aborted) throw cancelled(`Stopped waiting; ${ref.appId} ${ref.version} is not decided yet.`);
  }
}

/** The exit code for a decided version: 0 when users can install it. */
export const codeFor = ({ status }: VersionStatus): number => (status === 'published' ? 0 : 1);
