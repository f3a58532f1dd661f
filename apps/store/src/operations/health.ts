import type { RevocationList, StoreHealth } from '@svc/contracts';
import type { JobNotes } from '../platform/job-notes.ts';
import { askProbes, type Probes } from '../platform/probe.ts';
import type { Clock } from '../platform/system.ts';
import type { RevocationStore } from '../revocations/revocation-store.ts';
import type { BacklogStore, StoreStanding } from './backlog-store.ts';

/** Clients are promised a list that is signed at least once an hour. */
const STALE_MS = 60 * 60_000;

export type HealthDeps = {
  standing: BacklogStore;
  revocations: Pick<RevocationStore, 'last'>;
  probes: Probes;
  jobs: Pick<JobNotes, 'list'>;
  policy: { reviewMs: number };
  /** Whether mails reach anybody, and do not only stand in the log. */
  sendsMail: boolean;
  clock: Clock;
};

const oldestOf = (times: readonly (string | null)[]): string | null =>
  times.filter((time) => time !== null).sort()[0] ?? null;

const versionsOf = ({
  submitted,
  checking,
  approved,
  abandoned,
}: StoreStanding): StoreHealth['versions'] => ({
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

/** How the store fares. */
export async function storeHealth(deps: HealthDeps): Promise<StoreHealth> {
  const now = deps.clock();
  const dueBefore = new Date(now.getTime() - deps.policy.reviewMs).toISOString();
  const [probes, standing, list] = await Promise.all([
    askProbes(deps.probes),
    deps.standing.standing({ now: now.toISOString(), dueBefore }),
    deps.revocations.last(),
  ]);
  const { count: waiting, tried, oldestAt } = standing.mails;
  return {
    at: now.toISOString(),
    probes,
    queue: standing.queue,
    versions: versionsOf(standing),
    mails: { waiting, tried, oldestAt, carried: deps.sendsMail },
    revocations: listOf(list, now),
    jobs: deps.jobs.list(),
  };
}
