import type { VersionState, VersionStatus } from '@svc/contracts';
import type { CommandContext } from './command-record.ts';
import { cancelled, NoAnswerError, StoreError } from './failure.ts';
import type { StoreClient, VersionRef } from './store-client.ts';

/** The polling interval, and the maximum pause after failed polls, in milliseconds. */
const POLL_MS = 5_000;
const MAX_POLL_MS = 60_000;

/** States before the decision; the others are final for the publisher. */
const UNDECIDED: ReadonlySet<VersionState> = new Set(['submitted', 'checking', 'in_review', 'approved']);

/** Whether a moderator or the store has yet to decide. */
export const isUndecided = (status: VersionState): boolean => UNDECIDED.has(status);

/** Identifies a state to report: it differs when the state changes, or when a moderator requests changes. */
const stateKey = ({ status, changesRequestedAt = '' }: VersionStatus): string =>
  `${status} ${changesRequestedAt}`;

/** Transient error codes, which say nothing about the version. */
const TRANSIENT: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'internal']);

function pauseAfter(error: unknown, pauseMs: number): number {
  const isTransient =
    error instanceof NoAnswerError || (error instanceof StoreError && TRANSIENT.has(error.envelope.code));
  if (!isTransient) throw error;
  const retryAfterMs = error instanceof StoreError ? (error.envelope.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(retryAfterMs, Math.min(pauseMs * 2, MAX_POLL_MS));
}

/**
 * Polls the store until a version is decided, with exponential backoff while the store does not answer.
 * @param onState called with each new state, including the first and the final one, and when changes are requested
 * @returns the final record
 * @throws CommandError with exit code 130 on Ctrl-C
 */
export async function followVersion(
  context: CommandContext,
  client: StoreClient,
  ref: VersionRef,
  onState: (record: VersionStatus) => void | Promise<void>,
): Promise<VersionStatus> {
  const signal = context.interrupted();
  let reported: string | undefined;
  for (let pauseMs = POLL_MS; ; ) {
    try {
      const record = await client.call('GET /api/apps/:appId/versions/:version/status', { params: ref });
      pauseMs = POLL_MS;
      if (stateKey(record) !== reported) await onState(record);
      reported = stateKey(record);
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
