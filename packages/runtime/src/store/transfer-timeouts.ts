import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Time limits of a transfer, in milliseconds: in total, and without progress. */
export type Timeouts = { total: number; idle: number };

/** Progress of a transfer. */
export type Progress = { bytes: number };

/** Resolves when a transfer exceeds a time limit; rejects when `ended` is aborted before. */
async function untilTimeout(
  system: Pick<System, 'now' | 'sleep'>,
  { total, idle }: Timeouts,
  progress: Progress,
  ended: AbortSignal,
): Promise<void> {
  const startedAt = system.now();
  for (;;) {
    const before = progress.bytes;
    await system.sleep(idle, ended);
    if (progress.bytes === before || system.now() - startedAt >= total) return;
  }
}

/**
 * Runs a transfer with time limits. A stalling server could otherwise prevent a client from ever receiving an update.
 * @param work updates `progress`, and stops when its signal is aborted
 * @throws RuntimeError `too-slow`; the reason of `signal` when that is aborted; errors of the work
 */
export async function retryWithBackoff<T>(
  system: Pick<System, 'now' | 'sleep'>,
  timeouts: Timeouts,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, progress: Progress) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const late = new AbortController();
  const progress = { bytes: 0 };
  const tooSlow = new RuntimeError('too-slow');
  untilTimeout(system, timeouts, progress, ended.signal).then(
    () => late.abort(tooSlow),
    () => undefined,
  );
  try {
    return await work(signal ? AbortSignal.any([late.signal, signal]) : late.signal, progress);
  } catch (error) {
    if (late.signal.aborted) throw tooSlow;
    signal?.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
  }
}
