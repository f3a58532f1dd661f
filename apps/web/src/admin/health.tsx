import type { StoreHealth } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded, moment } from '@svc/ui';
import { useQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { Card } from '../account/parts.tsx';
import { type Column, DataTable } from './data-table.tsx';

const JOBS = 'Background jobs of this process';
const REQUEST = apiRequest('GET /api/admin/health');
const REFRESH_MS = 30_000;

const orNever = (time: string | null): string => (time === null ? 'never' : moment(time));

function Probes({ probes }: Pick<StoreHealth, 'probes'>) {
  return (
    <Card title="Dependencies">
      <dl className="facts">
        {probes.map(({ name, ok }) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd className={ok ? 'good' : 'fault'}>{ok ? 'reachable' : 'unreachable'}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Backlog({ health: { queue, versions, mails, revocations } }: { health: StoreHealth }) {
  const since = (time: string | null) => (time === null ? '' : `, oldest from ${moment(time)}`);
  return (
    <Card title="Backlog">
      <dl className="facts">
        <dt>Versions in review</dt>
        <dd className={queue.overdue > 0 ? 'fault' : ''}>
          {`${queue.waiting}, ${queue.overdue} overdue`}
          {since(queue.oldestAt)}
        </dd>
        <dt>Review status</dt>
        <dd>{`${queue.locked} locked by a moderator, ${queue.unassigned} unassigned, ${queue.changesRequested} waiting for the publisher`}</dd>
        <dt>Versions in progress</dt>
        <dd>
          {`${versions.submitted} submitted, ${versions.checking} being checked, ${versions.approved} approved but not signed`}
          {since(versions.oldestAt)}
          <p className="soft">{`${versions.abandoned} abandoned: no process is working on them`}</p>
        </dd>
        <dt>Outgoing mail</dt>
        <dd>
          <span className={mails.tried > 0 ? 'fault' : ''}>
            {`${mails.waiting} queued, ${mails.tried} being retried`}
          </span>
          {since(mails.oldestAt)}
          {mails.carried ? null : (
            <p className="soft">No mail server is configured: mail is written to the log.</p>
          )}
        </dd>
        <dt>Revocation list</dt>
        <dd>
          {revocations
            ? `${revocations.entries} yanked, signed ${moment(revocations.signedAt)}`
            : 'not signed yet'}{' '}
          {revocations?.stale ? <span className="badge fault">older than an hour</span> : null}
        </dd>
      </dl>
    </Card>
  );
}

type Job = StoreHealth['jobs'][number];

const JOB_COLUMNS: readonly Column<Job>[] = [
  { label: 'Job', cell: ({ name }) => name },
  { label: 'Last success', cell: ({ doneAt }) => orNever(doneAt) },
  {
    label: 'Last failure',
    cell: ({ failedAt }) => <span className={failedAt === null ? '' : 'fault'}>{orNever(failedAt)}</span>,
  },
];

function Jobs({ jobs }: Pick<StoreHealth, 'jobs'>) {
  return (
    <Card title={JOBS}>
      <DataTable label={JOBS} columns={JOB_COLUMNS} rows={jobs} keyOf={({ name }) => name} />
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
      <h1>Health</h1>
      <Loaded query={health}>
        {(data) => (
          <>
            <p className="soft">{`As of ${moment(data.at)}. Refreshes every 30 seconds.`}</p>
            <Probes probes={data.probes} />
            <Backlog health={data} />
            <Jobs jobs={data.jobs} />
          </>
        )}
      </Loaded>
    </>
  );
}
