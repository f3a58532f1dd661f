import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** How long a transfer may take, in milliseconds: in all, and without anything of it arriving. */
export type Timeouts = { total: number; idle: number };

/** What a transfer tells of itself. */
export type Progress = { bytes: number };

/** Resolves when a transfer has been too slow; never, when `ended` is aborted before. */
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
 * Does a transfer, and gives it up when it stands still or takes too long: its server could else keep a client from
 * ever hearing of an update.
 * @param work counts in `progress` what has arrived, and stops when the signal is aborted
 * @throws RuntimeError `too-slow`; the reason of `signal` when that is aborted; what the work throws
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
