import { LIMITS } from '@svc/contracts';
import type { ShareBounds } from '../../platform/fair-share.ts';
import type { GateLimits } from '../../platform/gate.ts';

/** Binary megabyte, in bytes. */
const MiB = 1024 * 1024;

/**
 * A queue of the inspection, with its own threads: a bundle waits only for bundles of a similar cost.
 */
export type InspectionQueue = {
  name: string;
  /** The maximum estimated cost of a bundle, in milliseconds on the machine of `open-bundle.ts`. */
  costMs: number;
  /** The largest zip, in bytes. */
  zipBytes: number;
  /** The limit of an inspection, in milliseconds of processor time; four times as long in wall-clock time. */
  timeMs: number;
  /**
   * The `nice` value of its threads (0 to 19). Pages come first, and quick checks before slow ones.
   */
  niceness: number;
  /** How long a bundle waits before another thread is started, in milliseconds: large bundles need much memory. */
  spareAfterMs: number;
  /** The most waiting inspections: in all, and of one account. */
  waiting: number;
  waitingPerAccount: number;
};

/** The resource limits of uploads. `npm run gen` writes these numbers into docs/reference/upload-limits.md. */
export type UploadBounds = {
  /** Request bodies read at the same time, and requests that wait. */
  bodies: GateLimits & Required<Pick<GateLimits, 'perAccount' | 'perNetwork'>>;
  /** The minimum upload speed: bytes per second in each window. The first window begins after the grace period. */
  pace: { graceMs: number; windowMs: number; bytesPerSecond: number };
  /** Bytes of bodies processed in one turn of the event loop, in a second, and in a burst. */
  share: ShareBounds;
  /** The most bytes on disk of unfinished uploads. */
  spoolBytes: number;
  /** The minimum of threads of each queue. */
  threads: number;
  /** Old-generation heap of a thread, in megabytes. */
  heapMb: number;
  /** The limit for the manifest and the pictures it names, in milliseconds of processor time. */
  picturesMs: number;
  /** Icons and marks drawn at the same time, and those that wait. */
  drawings: GateLimits & Required<Pick<GateLimits, 'perAccount' | 'perNetwork'>>;
  /** Cheapest first. The last one accepts every bundle. */
  queues: readonly [InspectionQueue, ...InspectionQueue[]];
  /** How many uploads an upload counts as when its inspection exceeds its limits. */
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
  share: { perTurn: MiB / 4, perSecond: 64 * MiB, burst: 32 * MiB },
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
  queues: [
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
