import type { Clock } from '../platform/ambient.ts';
import type { Lease } from './version-store.ts';

/** What it takes to hold a lease. */
export type LeaseDeps = {
  clock: Clock;
  /** This process, among those of the store. */
  processName: string;
};

/**
 * For how long a version is left to the process that works on it, in milliseconds. To check or to sign takes a few of
 * them; a process that needs longer is dead or as good as that. Two that sign at once would do no harm, only work twice:
 * each move is a compare-and-set.
 */
const LEASE_MS = 10_000;

/** A lease for this process, from now on. */
export const leaseFrom = ({ clock, processName }: LeaseDeps): Lease => ({
  by: processName,
  until: new Date(clock().getTime() + LEASE_MS).toISOString(),
});
