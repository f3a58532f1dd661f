import type { RevocationList, StoreHealth } from '@svc/contracts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { JobTracker } from '../../platform/job-tracker.ts';
import { type Probes, runProbes } from '../../platform/probe.ts';
import type { RevocationStore } from '../revocations/revocation-store.ts';
import type { BacklogStore, StoreBacklog } from './backlog-store.ts';

/** Clients expect a list that is signed at least once an hour. In milliseconds. */
const STALE_MS = 60 * 60_000;

export type HealthDeps = Pick<Parts, 'clock'> & {
  backlog: BacklogStore;
  revocations: Pick<RevocationStore, 'last'>;
  probes: Probes;
  jobs: Pick<JobTracker, 'list'>;
  policy: { reviewMs: number };
  /** Whether mails are sent to a mail server, and not only written to the log. */
  sendsMail: boolean;
};

const oldestOf = (times: readonly (string | null)[]): string | null =>
  times.filter((time) => time !== null).sort()[0] ?? null;

const versionsOf = ({ submitted, checking, approved, abandoned }: StoreBacklog): StoreHealth['versions'] => ({
  submitted: submitted.count,
  checking: checking.count,
  approved: approved.count,
  oldestAt: oldestOf([submitted.oldestAt, checking.oldestAt, approved.oldestAt]),
  abandoned,
});

const listOf = (list: RevocationList | null, now: Date): StoreHealth['revocations'] =>
  list && {
    entries: list.entries.length,
    signedAt: list.signedAt,
    stale: now.getTime() - Date.parse(list.signedAt) > STALE_MS,
  };

/** What waits in the store, and whether its jobs run: its health without the probes, which write to disk. */
export async function storeCounts(deps: Omit<HealthDeps, 'probes'>): Promise<Omit<StoreHealth, 'probes'>> {
  const now = deps.clock();
  const dueBefore = new Date(now.getTime() - deps.policy.reviewMs).toISOString();
  const [backlog, list] = await Promise.all([
    deps.backlog.read({ now: now.toISOString(), dueBefore }),
    deps.revocations.last(),
  ]);
  const { count: waiting, tried, oldestAt } = backlog.mails;
  return {
    at: now.toISOString(),
    queue: backlog.queue,
    versions: versionsOf(backlog),
    mails: { waiting, tried, oldestAt, carried: deps.sendsMail },
    revocations: listOf(list, now),
    jobs: deps.jobs.list(),
  };
}

export async function storeHealth(deps: HealthDeps): Promise<StoreHealth> {
  const [probes, { at, ...counts }] = await Promise.all([runProbes(deps.probes), storeCounts(deps)]);
  return { at, probes, ...counts };
}
