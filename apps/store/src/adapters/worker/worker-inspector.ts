import type { BundleInspector } from '../../publishing/admit-bundle.ts';
import type { BundleRules, Inspection } from '../../publishing/inspect-bundle.ts';
import { createThreadPool } from './thread-pool.ts';

/** What an inspection may take before its thread is ended. */
const LIMITS = { timeMs: 30_000, heapMb: 256 };

/**
 * Inspects bundles in threads of their own, which start when they are first needed. A bundle that crashes its thread, or
 * takes too long or too much memory, is an error for its own upload and for no other.
 * @param threads how many bundles are inspected at once; the others wait
 */
export function createWorkerInspector({
  reservedNames,
  localApps,
  threads,
}: BundleRules & { threads: number }): BundleInspector & {
  close(): Promise<void>;
} {
  const workerData: BundleRules = { reservedNames, localApps };
  const pool = createThreadPool<string, Inspection>({
    entry: 'inspection-worker',
    workerData,
    threads,
    ...LIMITS,
  });
  return {
    inspect: (file) =>
      pool.run(file).catch((error: unknown) => {
        throw new Error('Inspecting a bundle failed.', { cause: error });
      }),
    close: pool.close,
  };
}
