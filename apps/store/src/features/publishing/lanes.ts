import type { Inspection } from '../../domain/versions/inspect-bundle.ts';
import { createGate, type Gate, type Party } from '../../platform/gate.ts';
import type { Lane, UploadBounds } from './bounds.ts';
import type { Opening } from './open-bundle.ts';

/** Runs the store's checks in isolation, where a hostile bundle can do no harm. */
export interface BundleInspector {
  /** How many bundles of one lane are inspected at the same time. */
  threads: number;
  /**
   * Reads from the manifest which publisher, app and version a bundle is for.
   * @param file the path of the zip
   * @param lane the limits
   * @throws OverrunError when it took more than the lane allows; any other error when the checks crashed
   */
  open(file: string, lane: Lane): Promise<Opening>;
  /** Runs all checks. Parameters and errors are those of `open`. When it throws, the bundle must not be accepted. */
  inspect(file: string, lane: Lane): Promise<Inspection>;
}

export type SpooledUpload = { file: string; size: number; party: Party };

export type Lanes = {
  open(upload: SpooledUpload): Promise<Exclude<Opening, { is: 'costly' }>>;
  /** @param costMs the estimated cost of the inspection, in milliseconds */
  inspect(upload: SpooledUpload, costMs: number): Promise<Inspection>;
};

const isWithin = (lane: Lane, costMs: number, { size }: SpooledUpload): boolean =>
  costMs <= lane.costMs && size <= lane.zipBytes;

/**
 * Distributes bundles among the inspection threads: each bundle goes to the lane of its cost, and one account can occupy all but one
 * thread of a lane.
 */
export function createLanes(inspector: BundleInspector, { lanes }: Pick<UploadBounds, 'lanes'>): Lanes {
  const { threads } = inspector;
  const gates = new Map<Lane, Gate>(
    lanes.map((lane) => [
      lane,
      createGate({
        active: threads,
        waiting: lane.waiting,
        perAccount: { active: Math.max(1, threads - 1), waiting: lane.waitingPerAccount },
        retrySeconds: Math.ceil(lane.timeMs / 1000),
      }),
    ]),
  );
  const run = <T>(lane: Lane, { party }: SpooledUpload, work: () => Promise<T>): Promise<T> =>
    (gates.get(lane) as Gate)(work, party);
  const laneOf = (costMs: number, upload: SpooledUpload): Lane =>
    lanes.find((lane) => isWithin(lane, costMs, upload)) ?? (lanes.at(-1) as Lane);

  return {
    async open(upload) {
      for (let costMs = 0; ; ) {
        const lane = laneOf(costMs, upload);
        const opening = await run(lane, upload, () => inspector.open(upload.file, lane));
        if (opening.is !== 'costly') return opening;
        // The cost grows in each turn, so the loop reaches a later lane, and the last lane has no limit.
        costMs = Math.max(opening.costMs, lane.costMs + 1);
      }
    },
    inspect(upload, costMs) {
      const lane = laneOf(costMs, upload);
      return run(lane, upload, () => inspector.inspect(upload.file, lane));
    },
  };
}
