import type { RevocationList, SettingsInForce, StoreHealth } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { JobTracker } from '../../platform/every.ts';
import { keptFor } from '../../platform/kept-for.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Outages } from '../../platform/outages.ts';
import { type Probes, runProbes, withinTimeout } from '../../platform/probe.ts';
import type { Resources } from '../../platform/resources.ts';
import type { Handlers } from '../access/bind-route.ts';
import type { Additions } from '../access/extension.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { StoragePolicy } from '../domain/versions/publisher-storage.ts';
import type { RevocationStore } from '../revocations/revocation-store.ts';
import type { BacklogStore, StoreBacklog } from './backlog-store.ts';
import { lastBackupCheck } from './backup-check.ts';
import type { Readiness } from './readiness.ts';
import type { RollbackWatch } from './rollback-watch.ts';

/** Clients expect a list that is signed at least once an hour. In milliseconds. */
const STALE_MS = 60 * 60_000;

type HealthDeps = Pick<Parts, 'clock'> & {
  backlog: BacklogStore;
  blobs: Pick<BlobStore, 'keptRecord'>;
  revocations: Pick<RevocationStore, 'last'>;
  probes: Probes;
  rollbacks: Pick<RollbackWatch, 'found'>;
  outages: Pick<Outages, 'list'>;
  resources: Resources;
  jobs: Pick<JobTracker, 'list'>;
  policy: { reviewMs: number };
  additions: readonly Pick<Additions, 'logHealth'>[];
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

/** What this process knows without the database. */
type Own = Pick<StoreHealth, 'probes' | 'services' | 'resources' | 'jobs' | 'rollback' | 'backup'>;

type OwnDeps = Pick<HealthDeps, 'probes' | 'jobs' | 'rollbacks' | 'outages' | 'resources' | 'blobs'>;

const ownOf = async ({ probes, jobs, rollbacks, outages, resources, blobs }: OwnDeps): Promise<Own> => ({
  probes: await runProbes(probes),
  services: outages.list(),
  resources: await resources.check(),
  rollback: rollbacks.found(),
  backup: await withinTimeout(lastBackupCheck(blobs)).catch(() => null),
  jobs: jobs.list(),
});

/** What waits in the store, by its database. */
type Counts = Omit<StoreHealth, keyof Own>;

async function storeCounts(deps: Omit<HealthDeps, keyof OwnDeps>): Promise<Counts> {
  const now = deps.clock();
  const dueBefore = new Date(now.getTime() - deps.policy.reviewMs).toISOString();
  const [backlog, list, [log = null]] = await Promise.all([
    deps.backlog.read({ now: now.toISOString(), dueBefore }),
    deps.revocations.last(),
    Promise.all(deps.additions.flatMap(({ logHealth }) => logHealth?.() ?? [])),
  ]);
  const { count: waiting, tried, oldestAt } = backlog.mails;
  return {
    at: now.toISOString(),
    queue: backlog.queue,
    versions: versionsOf(backlog),
    mails: { waiting, tried, oldestAt, carried: deps.sendsMail },
    revocations: listOf(list, now),
    log,
  };
}

async function storeHealth(deps: HealthDeps): Promise<StoreHealth> {
  const [{ probes, services, ...own }, { at, ...counts }] = await Promise.all([
    ownOf(deps),
    storeCounts(deps),
  ]);
  return { at, probes, services, ...counts, ...own };
}

/** A gauge: its name after `svc_`, what it counts, and its value; or a value for each of its parts. */
type Gauge = {
  name: string;
  help: string;
  value: number | readonly (readonly [part: string, value: number])[];
};

/** Whether a job of this process failed when it last ran. */
const hasFailed = ({ doneAt, failedAt }: StoreHealth['jobs'][number]): boolean =>
  failedAt !== null && (doneAt === null || failedAt > doneAt);

/** The seconds since a time, negative for one in the future; 0 without one. */
const secondsSince = (time: string | null | undefined, now: string): number =>
  time ? Math.round((Date.parse(now) - Date.parse(time)) / 1_000) : 0;

/** What is known of the last backup that was verified; nothing before the first one. */
const backupGauges = ({ backup }: Pick<Own, 'backup'>, at: string): readonly Gauge[] =>
  backup === null
    ? []
    : [
        {
          name: 'backup_failed',
          help: 'Whether the backup that was verified last cannot be restored: 1, or 0.',
          value: Number(backup.fault !== null),
        },
        ...(backup.takenAt === null
          ? []
          : [
              {
                name: 'backup_age_seconds',
                help: 'Age of the last backup that was verified by restoring it.',
                value: secondsSince(backup.takenAt, at),
              },
            ]),
      ];

const ownGauges = ({ probes, services, resources, jobs, rollback }: Own): readonly Gauge[] => [
  {
    name: 'part_ready',
    help: 'Whether a part of the store is ready, or a service that it calls answers: 1, or 0.',
    value: [...probes, ...services].map(({ name, ok }) => [name, Number(ok)]),
  },
  {
    name: 'resource_used_ratio',
    help: 'The share of a resource of this process that is in use: 1 when nothing is left.',
    value: resources.map(({ name, used, limit }) => [name, used / limit]),
  },
  {
    name: 'jobs_failed',
    help: 'Background jobs of this process whose last run failed.',
    value: jobs.filter(hasFailed).length,
  },
  {
    name: 'rollback',
    help: 'Whether the database was replaced by an older copy in the last week, or still lacks published versions: 1, or 0.',
    value: Number(rollback !== null),
  },
  {
    name: 'rollback_versions',
    help: 'Versions that an older database lost: those whose yanks were restored, and those that are gone.',
    value: [
      ['yanks', rollback?.yanks.length ?? 0],
      ['gone', rollback?.gone.length ?? 0],
    ],
  },
];

/** The gauges of the log; none where it is switched off. */
const logGauges = ({ at, log }: Counts): readonly Gauge[] =>
  log === null
    ? []
    : [
        { name: 'log_entries', help: 'Entries of the log that are published.', value: log.size },
        {
          name: 'log_entries_waiting',
          help: 'Entries of the log that are not published yet.',
          value: log.waiting,
        },
        {
          name: 'log_age_seconds',
          help: 'Seconds since this process last found that every entry of the log is published.',
          value: secondsSince(log.publishedAt, at),
        },
        {
          name: 'log_witnesses_missing',
          help: 'Cosignatures that the checkpoint of the log lacks of those that clients may demand.',
          value: Math.max(0, log.quorum - log.cosigned),
        },
        {
          name: 'log_fault',
          help: 'Whether a client or a witness has seen what the log contradicts: 1, or 0.',
          value: Number(log.fault !== null),
        },
      ];

const gaugesOf = (counts: Counts): readonly Gauge[] => [...storeGauges(counts), ...logGauges(counts)];

const storeGauges = ({ at, queue, versions, mails, revocations }: Counts): readonly Gauge[] => [
  { name: 'reviews_waiting', help: 'Versions in review.', value: queue.waiting },
  { name: 'reviews_overdue', help: 'Versions in review past their due time.', value: queue.overdue },
  {
    name: 'reviews_oldest_seconds',
    help: 'Age of the oldest version in review.',
    value: secondsSince(queue.oldestAt, at),
  },
  { name: 'versions_abandoned', help: 'Versions that no process works on.', value: versions.abandoned },
  { name: 'mails_waiting', help: 'Mails that are not sent yet.', value: mails.waiting },
  {
    name: 'mails_oldest_seconds',
    help: 'Age of the oldest mail that is not sent yet.',
    value: secondsSince(mails.oldestAt, at),
  },
  {
    name: 'revocation_list_age_seconds',
    help: 'Age of the signed revocation list; negative when its time is in the future.',
    value: secondsSince(revocations?.signedAt, at),
  },
];

/** The fullest publishers that the metrics name. */
const FULLEST = { share: 0.8, limit: 20 };

/** How long they are kept, in milliseconds: they are found by a look at every version. */
const FULLEST_MS = 10 * 60_000;

/** The publishers that use the largest shares of their storage. */
const storageGauge = (publishers: readonly { slug: string; share: number }[]): Gauge => ({
  name: 'publisher_storage_ratio',
  help: 'The share of its storage that a publisher uses, of the 20 fullest with 0.8 or more.',
  value: publishers.map(({ slug, share }) => [slug, share]),
});

const gaugeText = ({ name, help, value }: Gauge): string => {
  const rows = typeof value === 'number' ? [['', value]] : value.map(([part, n]) => [`{part="${part}"}`, n]);
  const lines = rows.map(([labels, n]) => `svc_${name}${labels} ${n}\n`).join('');
  return `# HELP svc_${name} ${help}\n# TYPE svc_${name} gauge\n${lines}`;
};

/**
 * The health of the store as gauges in the text exposition format of Prometheus.
 * @param counts null without a database
 * @param at now, ISO 8601 in UTC
 * @param full the publishers that have almost no storage left
 */
export const gaugesText = (
  own: Own,
  counts: Counts | null,
  at: string,
  full: Parameters<typeof storageGauge>[0] = [],
): string =>
  [
    ...ownGauges(own),
    ...backupGauges(own, at),
    ...(counts ? gaugesOf(counts) : []),
    ...(full.length > 0 ? [storageGauge(full)] : []),
  ]
    .map(gaugeText)
    .join('');

const RETRY_SECONDS = 5;

type OperationsDeps = HealthDeps &
  Pick<Parts, 'accessRules' | 'publishers'> & {
    policy: StoragePolicy;
    metrics: Metrics;
    readiness: Pick<Readiness, 'ask'>;
    settingsInForce: SettingsInForce['settings'];
    localApps: boolean;
  };

const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes for operators: liveness, readiness, health, settings and metrics. */
export const operationsRoutes = ({
  metrics,
  readiness,
  settingsInForce,
  localApps,
  accessRules,
  ...deps
}: OperationsDeps) => {
  const fullest = keptFor(deps.clock, null, FULLEST_MS, () =>
    deps.publishers.fullest(deps.policy.publisherStorageMiB, FULLEST),
  );
  return {
    storeFacts: () => ({ localApps, read: accessRules.now().read }),
    health: () => ({ status: 'ok' as const }),
    ready: async () => {
      if (!readiness.ask()) {
        throw new ApiError('unavailable', 'This process of the store is stopping: try another one.', {
          retryAfter: RETRY_SECONDS,
        });
      }
      const down = (await runProbes(deps.probes)).filter(({ ok }) => !ok).map(({ name }) => name);
      if (down.length > 0) {
        throw new ApiError('unavailable', `The store cannot reach its ${down.join(' and its ')}.`, {
          retryAfter: RETRY_SECONDS,
        });
      }
      return { status: 'ok' as const };
    },
    storeHealth: () => storeHealth(deps),
    settingsInForce: () => ({ settings: [...settingsInForce] }),
    metrics: async (_request, c) => {
      const [{ text, type }, own, counts, full] = await Promise.all([
        metrics.read(),
        ownOf(deps),
        // Without a database the metrics of this process must still be read.
        withinTimeout(storeCounts(deps)).catch(() => null),
        withinTimeout(fullest()).catch(() => []),
      ]);
      const gauges = gaugesText(own, counts, deps.clock().toISOString(), full);
      return c.body(text + gauges, 200, { 'Content-Type': type, ...NO_STORE });
    },
  } satisfies Handlers;
};
