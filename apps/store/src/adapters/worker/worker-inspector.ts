import {
  type BundleRules,
  type Inspection,
  newScriptMemory,
} from '../../core/domain/versions/inspect-bundle.ts';
import type { InspectionQueue, UploadBounds } from '../../core/publishing/bounds.ts';
import type { BundleInspector } from '../../core/publishing/inspection-queues.ts';
import type { Opening } from '../../core/publishing/open-bundle.ts';
import { OverrunError } from '../../platform/overrun-error.ts';
import { programFile } from '../../platform/own-package.ts';
import { isExhausted, UnavailableError } from '../../platform/unavailable-error.ts';
import { createThreadPool } from './thread-pool.ts';

/** A request to a thread: read the manifest of a bundle, or run all checks of it. */
export type InspectionTask = { ask: 'open'; file: string; mostMs: number } | { ask: 'inspect'; file: string };

/** The `workerData` of a thread. */
export type InspectionThread = { rules: BundleRules } & Pick<InspectionQueue, 'niceness'>;

type Options = BundleRules & Pick<UploadBounds, 'threads' | 'heapMb' | 'picturesMs' | 'queues'>;

/**
 * Inspects bundles in threads that start on demand. A bundle that crashes its thread, or exceeds its time or memory, fails only its own
 * upload.
 */
export function createWorkerInspector({
  reservedNames,
  localApps,
  threads,
  heapMb,
  picturesMs,
  queues,
}: Options): BundleInspector & { close(): Promise<void> } {
  const rules: BundleRules = { reservedNames, localApps, scriptMemory: newScriptMemory() };
  const file = programFile('inspection-worker');
  const pools = new Map(
    queues.map(({ name, timeMs, niceness, spareAfterMs }) => [
      name,
      createThreadPool<InspectionTask, Opening | Inspection>({
        file,
        workerData: { rules, niceness } satisfies InspectionThread,
        threads,
        spareAfterMs,
        timeMs,
        heapMb,
      }),
    ]),
  );
  async function run({ name }: InspectionQueue, task: InspectionTask): Promise<Opening | Inspection> {
    const pool = pools.get(name);
    if (!pool) throw new RangeError(`There is no queue ${name}.`);
    try {
      return await pool.run(task, { pictures: picturesMs });
    } catch (error) {
      if (error instanceof OverrunError) throw error;
      const message = 'Inspecting a bundle failed.';
      throw isExhausted(error)
        ? new UnavailableError(message, { cause: error })
        : new Error(message, { cause: error });
    }
  }
  return {
    threads,
    open: (file, queue) => run(queue, { ask: 'open', file, mostMs: queue.costMs }) as Promise<Opening>,
    inspect: (file, queue) => run(queue, { ask: 'inspect', file }) as Promise<Inspection>,
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
