import type { StoreHealth } from '@svc/contracts';
import type { Clock } from './system.ts';

type Job = StoreHealth['jobs'][number];

export function createJobTracker(clock: Clock) {
  const jobs: Job[] = [];
  return {
    /** Wraps a job, so that the outcome of each run is recorded. */
    track<A extends unknown[]>(
      name: string,
      work: (...args: A) => Promise<unknown>,
    ): (...args: A) => Promise<unknown> {
      const job: Job = { name, doneAt: null, failedAt: null };
      jobs.push(job);
      return async (...args) => {
        try {
          const result = await work(...args);
          job.doneAt = clock().toISOString();
          return result;
        } catch (error) {
          job.failedAt = clock().toISOString();
          throw error;
        }
      };
    },
    /** Lists the jobs in the order in which they were registered. */
    list: () => jobs.map((job) => ({ ...job })),
  };
}

/** Tracks when the jobs of this process last ran. */
export type JobTracker = ReturnType<typeof createJobTracker>;
