import { LIMITS } from '@svc/contracts';
import type { GateLimits } from '../platform/gate.ts';
import type { TurnBounds } from '../platform/turns.ts';

/** Binary megabyte, in bytes. */
const MiB = 1024 * 1024;

/**
 * A kind of place in which bundles are inspected, with threads of its own, so that a bundle waits only for bundles that
 * cost about as much as it does.
 */
export type Lane = {
  name: string;
  /** The most that a bundle may be expected to cost here, in milliseconds on the machine of `bundle-cost.ts`. */
  costMs: number;
  /** The largest zip, in bytes. */
  zipBytes: number;
  /** What an inspection may take, in milliseconds of processor time; by the clock four times as long. */
  timeMs: number;
  /**
   * How far its threads stand back for others (`nice`, 0 to 19): behind pages the more, the longer its bundles take, so
   * that what is quickly checked does not share a processor with what is not.
   */
  niceness: number;
  /** How long a bundle waits before a second thread is started for it, in milliseconds: the largest take much memory. */
  spareAfterMs: number;
  /** Inspections that wait: in all, and of one account. */
  waiting: number;
  waitingPerAccount: number;
};

/** What uploads may take of a store. SECURITY.md prints these numbers; `npm run gen` writes them there. */
export type UploadBounds = {
  /** Bodies that are read at once, and requests that wait unread. */
  bodies: GateLimits & Required<Pick<GateLimits, 'perAccount' | 'perNetwork'>>;
  /** How fast a body must arrive: so many bytes a second in each window, the first of which begins after the grace. */
  pace: { graceMs: number; windowMs: number; bytesPerSecond: number };
  /** Bytes of bodies that are worked on in one turn of the event loop, in a second, and at once after a quiet time. */
  turns: TurnBounds;
  /** Bytes of all uploads on the disk that are not answered yet. */
  spoolBytes: number;
  /** Threads of each lane, at least. */
  threads: number;
  /** Old-generation heap of a thread, in megabytes. */
  heapMb: number;
  /** What checking the manifest and the pictures it names may take, in milliseconds of processor time. */
  picturesMs: number;
  /** Icons and marks that are drawn at once, of which the process draws one after the other, and those that wait for it. */
  drawings: GateLimits & Required<Pick<GateLimits, 'perAccount' | 'perNetwork'>>;
  /** Cheapest first; the last takes every bundle. */
  lanes: readonly [Lane, ...Lane[]];
  /** What an upload whose inspection ran out of time or memory counts against the quota of its developer, in uploads. */
  overrunUploads: number;
};

export const UPLOAD_BOUNDS: UploadBounds = {
  bodies: {
    active: 64,
    waiting: 256,
    perAccount: { active: 4, waiting: 16 },
    perNetwork: { active: 16, waiting: 128 },
  },
  pace: { graceMs: 5_000, windowMs: 10_000, bytesPerSecond: 16 * 1024 },
  turns: { perTurn: MiB / 4, perSecond: 64 * MiB, burst: 32 * MiB },
  spoolBytes: 2_048 * MiB,
  threads: 2,
  heapMb: 256,
  picturesMs: 2_000,
  drawings: {
    active: 1,
    waiting: 200,
    perAccount: { active: 1, waiting: 20 },
    perNetwork: { active: 1, waiting: 100 },
  },
  lanes: [
    {
      name: 'quick',
      costMs: 30,
      zipBytes: 2 * MiB,
      timeMs: 3_000,
      niceness: 4,
      spareAfterMs: 0,
      waiting: 256,
      waitingPerAccount: 20,
    },
    {
      name: 'medium',
      costMs: 250,
      zipBytes: 8 * MiB,
      timeMs: 6_000,
      niceness: 12,
      spareAfterMs: 0,
      waiting: 64,
      waitingPerAccount: 20,
    },
    {
      name: 'long',
      costMs: Number.POSITIVE_INFINITY,
      zipBytes: LIMITS.bundle.bytes,
      timeMs: 15_000,
      niceness: 19,
      spareAfterMs: 2_000,
      waiting: 16,
      waitingPerAccount: 2,
    },
  ],
  overrunUploads: 5,
};
