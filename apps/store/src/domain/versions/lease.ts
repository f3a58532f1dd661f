import type { Clock } from '../../platform/system.ts';
import { endOf } from '../../platform/terms.ts';
import type { Lease } from './version-record.ts';

/** The dependencies of `leaseFrom`. */
export type LeaseDeps = {
  clock: Clock;
  /** Identifies this process among the processes of the store. */
  processName: string;
};

/**
 * Creates a lease for this process that begins now. A check or a signature takes milliseconds; a process that needs longer than the lease is
 * considered dead. Two processes that sign at the same time only duplicate work: each transition is a compare-and-set.
 */
export const leaseFrom = ({ clock, processName }: LeaseDeps): Lease => ({
  by: processName,
  until: endOf('versions.lease_until', clock()),
});
