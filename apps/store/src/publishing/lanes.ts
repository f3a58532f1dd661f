import type { Inspection } from '../domain/versions/inspect-bundle.ts';
import { createGate, type Gate, type Party } from '../platform/gate.ts';
import type { Lane, UploadBounds } from './bounds.ts';
import type { Opening } from './open-bundle.ts';

/** Runs the store's checks somewhere where a hostile bundle can do no harm. */
export interface BundleInspector {
  /** How many bundles of one lane are worked on at once. */
  threads: number;
  /**
   * Finds out who says to publish what.
   * @param file local file that holds the zip
   * @param lane what it may take
   * @throws OverrunError when it took more than the lane allows; any other error when the checks crashed
   */
  open(file: string, lane: Lane): Promise<Opening>;
  /** Runs all checks. Parameters and errors are those of `open`; the bundle must not be taken when it throws. */
  inspect(file: string, lane: Lane): Promise<Inspection>;
}

/** A zip on the disk, and who sent it. */
export type Sent = { file: string; size: number; party: Party };

export type Lanes = {
  open(sent: Sent): Promise<Exclude<Opening, { is: 'costly' }>>;
  /** @param costMs what the inspection is expected to cost */
  inspect(sent: Sent, costMs: number): Promise<Inspection>;
};

const isWithin = (lane: Lane, costMs: number, { size }: Sent): boolean =>
  costMs <= lane.costMs && size <= lane.zipBytes;

/**
 * Shares the threads in which bundles are inspected: each bundle goes to the lane of those that cost about as much, and a
 * lane lets one account have all of its threads but one.
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
  const run = <T>(lane: Lane, { party }: Sent, work: () => Promise<T>): Promise<T> =>
    (gates.get(lane) as Gate)(work, party);
  const laneOf = (costMs: number, sent: Sent): Lane =>
    lanes.find((lane) => isWithin(lane, costMs, sent)) ?? (lanes.at(-1) as Lane);

  return {
    async open(sent) {
      for (let costMs = 0; ; ) {
        const lane = laneOf(costMs, sent);
        const opening = await run(lane, sent, () => inspector.open(sent.file, lane));
        if (opening.is !== 'costly') return opening;
        // Never less than it was: each turn leads to a later lane, and the last has no bound.
        costMs = Math.max(opening.costMs, lane.costMs + 1);
      }
    },
    inspect(sent, costMs) {
      const lane = laneOf(costMs, sent);
      return run(lane, sent, () => inspector.inspect(sent.file, lane));
    },
  };
}
