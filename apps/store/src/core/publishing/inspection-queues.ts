import { createGate, type Gate, type Requester } from '../../platform/gate.ts';
import type { Inspection } from '../domain/versions/inspect-bundle.ts';
import type { InspectionQueue, UploadBounds } from './bounds.ts';
import type { Opening } from './open-bundle.ts';

/** Runs the store's checks in isolation, where a hostile bundle can do no harm. */
export interface BundleInspector {
  /** How many bundles of one queue are inspected at the same time. */
  threads: number;
  /**
   * Reads from the manifest which publisher, app and version a bundle is for.
   * @param file the path of the zip
   * @param queue the limits
   * @throws OverrunError when it took more than the queue allows; any other error when the checks crashed
   */
  open(file: string, queue: InspectionQueue): Promise<Opening>;
  /** Runs all checks. Parameters and errors are those of `open`. When it throws, the bundle must not be accepted. */
  inspect(file: string, queue: InspectionQueue): Promise<Inspection>;
}

export type SpooledUpload = { file: string; size: number; requester: Requester };

const isWithin = (queue: InspectionQueue, costMs: number, { size }: SpooledUpload): boolean =>
  costMs <= queue.costMs && size <= queue.zipBytes;

/**
 * Distributes bundles among the inspection threads: each bundle goes to the queue of its cost, and one account can occupy all but one
 * thread of a queue.
 */
export function createQueues(inspector: BundleInspector, { queues }: Pick<UploadBounds, 'queues'>) {
  const { threads } = inspector;
  const gates = new Map<InspectionQueue, Gate>(
    queues.map((queue) => [
      queue,
      createGate({
        active: threads,
        waiting: queue.waiting,
        perAccount: { active: Math.max(1, threads - 1), waiting: queue.waitingPerAccount },
        retrySeconds: Math.ceil(queue.timeMs / 1000),
      }),
    ]),
  );
  const run = <T>(queue: InspectionQueue, { requester }: SpooledUpload, work: () => Promise<T>): Promise<T> =>
    (gates.get(queue) as Gate)(work, requester);
  const queueOf = (costMs: number, upload: SpooledUpload): InspectionQueue =>
    queues.find((queue) => isWithin(queue, costMs, upload)) ?? (queues.at(-1) as InspectionQueue);

  return {
    async open(upload: SpooledUpload): Promise<Exclude<Opening, { is: 'costly' }>> {
      for (let costMs = 0; ; ) {
        const queue = queueOf(costMs, upload);
        const opening = await run(queue, upload, () => inspector.open(upload.file, queue));
        if (opening.is !== 'costly') return opening;
        // The cost grows in each turn, so the loop reaches a later queue, and the last queue has no limit.
        costMs = Math.max(opening.costMs, queue.costMs + 1);
      }
    },
    /** @param costMs the estimated cost of the inspection, in milliseconds */
    inspect(upload: SpooledUpload, costMs: number): Promise<Inspection> {
      const queue = queueOf(costMs, upload);
      return run(queue, upload, () => inspector.inspect(upload.file, queue));
    },
  };
}

export type InspectionQueues = ReturnType<typeof createQueues>;
