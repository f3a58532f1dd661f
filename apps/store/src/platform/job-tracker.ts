import type { StoreHealth } from '@svc/contracts';
import type { Clock } from './system.ts';

type Job = StoreHealth['jobs'][number];

/** Tracks when the jobs of this process last ran. */
export type JobTracker = {
  /** Wraps a job, so that the outcome of each run is recorded. */
  track<A extends unknown[]>(
    name: string,
    work: (...args: A) => Promise<unknown>,
  ): (...args: A) => Promise<unknown>;
  /** Lists the jobs in the order in which they were registered. */
  list(): Job[];
};

export function createJobTracker(clock: Clock): JobTracker {
  const jobs: Job[] = [];
  return {
    track(name, work) {
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
    list: () => jobs.map((job) => ({ ...job })),
  };
}
