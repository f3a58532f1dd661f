import type { StoreHealth } from '@svc/contracts';

/** A gauge of what waits in the store: its name after `svc_`, what it counts, and its value. */
type Gauge = { name: string; help: string; value: number };

/** Whether a job of this process failed when it last ran. */
const hasFailed = ({ doneAt, failedAt }: StoreHealth['jobs'][number]): boolean =>
  failedAt !== null && (doneAt === null || failedAt > doneAt);

/** The seconds since a time; 0 without one. */
const secondsSince = (time: string | null | undefined, now: string): number =>
  time ? Math.max(0, Math.round((Date.parse(now) - Date.parse(time)) / 1_000)) : 0;

const gaugesOf = ({
  at,
  queue,
  versions,
  mails,
  revocations,
  jobs,
}: Omit<StoreHealth, 'probes'>): readonly Gauge[] => [
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
    help: 'Age of the signed revocation list.',
    value: secondsSince(revocations?.signedAt, at),
  },
  {
    name: 'jobs_failed',
    help: 'Background jobs of this process whose last run failed.',
    value: jobs.filter(hasFailed).length,
  },
];

/** What waits in the store as gauges in the text exposition format of Prometheus. */
export const gaugesText = (counts: Omit<StoreHealth, 'probes'>): string =>
  gaugesOf(counts)
    .map(
      ({ name, help, value }) =>
        `# HELP svc_${name} ${help}\n# TYPE svc_${name} gauge\nsvc_${name} ${value}\n`,
    )
    .join('');
