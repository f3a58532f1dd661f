import type { StoreHealth } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded, moment } from '@svc/ui';
import { useQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { Card } from '../account/parts.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.health;
const REQUEST = apiRequest('GET /api/admin/health');
const REFRESH_MS = 30_000;

const orNever = (time: string | null): string => (time === null ? WORDS.never : moment(time));

function Probes({ probes }: Pick<StoreHealth, 'probes'>) {
  return (
    <Card title={MESSAGES.probes}>
      <dl className="facts">
        {probes.map(({ name, ok }) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd className={ok ? 'good' : 'fault'}>{ok ? MESSAGES.ok : MESSAGES.down}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Backlog({ health: { queue, versions, mails, revocations } }: { health: StoreHealth }) {
  const since = (time: string | null) => (time === null ? '' : `, ${MESSAGES.since(moment(time))}`);
  return (
    <Card title={MESSAGES.backlog}>
      <dl className="facts">
        <dt>{MESSAGES.review}</dt>
        <dd className={queue.overdue > 0 ? 'fault' : ''}>
          {MESSAGES.reviewWords(queue.waiting, queue.overdue)}
          {since(queue.oldestAt)}
        </dd>
        <dt>{MESSAGES.assignment}</dt>
        <dd>{MESSAGES.assignmentWords(queue)}</dd>
        <dt>{MESSAGES.inProgress}</dt>
        <dd>
          {MESSAGES.inProgressWords(versions.submitted, versions.checking, versions.approved)}
          {since(versions.oldestAt)}
          <p className="soft">{MESSAGES.abandoned(versions.abandoned)}</p>
        </dd>
        <dt>{MESSAGES.mails}</dt>
        <dd>
          <span className={mails.tried > 0 ? 'fault' : ''}>
            {MESSAGES.mailWords(mails.waiting, mails.tried)}
          </span>
          {since(mails.oldestAt)}
          {mails.carried ? null : <p className="soft">{MESSAGES.toLog}</p>}
        </dd>
        <dt>{MESSAGES.revocations}</dt>
        <dd>
          {revocations
            ? MESSAGES.revocationWords(revocations.entries, moment(revocations.signedAt))
            : MESSAGES.unsigned}{' '}
          {revocations?.stale ? <span className="badge fault">{MESSAGES.stale}</span> : null}
        </dd>
      </dl>
    </Card>
  );
}

type Job = StoreHealth['jobs'][number];

const JOB_COLUMNS: readonly Column<Job>[] = [
  { label: MESSAGES.job, cell: ({ name }) => name },
  { label: MESSAGES.done, cell: ({ doneAt }) => orNever(doneAt) },
  {
    label: MESSAGES.failed,
    cell: ({ failedAt }) => <span className={failedAt === null ? '' : 'fault'}>{orNever(failedAt)}</span>,
  },
];

function Jobs({ jobs }: Pick<StoreHealth, 'jobs'>) {
  return (
    <Card title={MESSAGES.jobs}>
      <DataTable label={MESSAGES.jobs} columns={JOB_COLUMNS} rows={jobs} keyOf={({ name }) => name} />
    </Card>
  );
}

/** The health of the store, as seen by the process that answers. */
export function HealthView() {
  const health = useQuery({
    queryKey: [REQUEST.path],
    queryFn: () => read(REQUEST),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Loaded query={health}>
        {(data) => (
          <>
            <p className="soft">{MESSAGES.asOf(moment(data.at))}</p>
            <Probes probes={data.probes} />
            <Backlog health={data} />
            <Jobs jobs={data.jobs} />
          </>
        )}
      </Loaded>
    </>
  );
}
