import type { Clock } from '../../platform/system.ts';
import { endOf } from '../../platform/terms.ts';
import type { Lease } from './version-store.ts';

/** What it takes to hold a lease. */
export type LeaseDeps = {
  clock: Clock;
  /** This process, among those of the store. */
  processName: string;
};

/**
 * A lease for this process, from now on. To check or to sign takes milliseconds; a process that needs longer than the lease is
 * dead or as good as that. Two that sign at once would do no harm, only work twice: each move is a compare-and-set.
 */
export const leaseFrom = ({ clock, processName }: LeaseDeps): Lease => ({
  by: processName,
  until: endOf('versions.lease_until', clock()),
});
