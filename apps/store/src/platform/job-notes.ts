import type { StoreHealth } from '@svc/contracts';
import type { Clock } from './system.ts';

type Job = StoreHealth['jobs'][number];

/** Remembers when the jobs of this process were last done. */
export type JobNotes = {
  /** The same work, of which it is noted from now on how it ends. */
  noting<A extends unknown[]>(
    name: string,
    work: (...args: A) => Promise<unknown>,
  ): (...args: A) => Promise<unknown>;
  /** In the order in which they were named. */
  list(): Job[];
};

export function createJobNotes(clock: Clock): JobNotes {
  const jobs: Job[] = [];
  return {
    noting(name, work) {
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
