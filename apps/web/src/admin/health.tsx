import type { StoreHealth } from '@svc/contracts';
import { useQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { Card, Loaded, moment } from '../account/parts.tsx';
import { WORDS } from './words.ts';

const SAY = WORDS.health;
const PATH = '/api/admin/health';
const EACH_MS = 30_000;

const orNever = (time: string | null): string => (time === null ? WORDS.never : moment(time));

function Probes({ probes }: Pick<StoreHealth, 'probes'>) {
  return (
    <Card title={SAY.probes}>
      <dl className="facts">
        {probes.map(({ name, ok }) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd className={ok ? 'good' : 'fault'}>{ok ? SAY.ok : SAY.down}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Waits({ health: { queue, versions, mails, revocations } }: { health: StoreHealth }) {
  const since = (time: string | null) => (time === null ? '' : `, ${SAY.since(moment(time))}`);
  return (
    <Card title={SAY.waits}>
      <dl className="facts">
        <dt>{SAY.review}</dt>
        <dd className={queue.overdue > 0 ? 'fault' : ''}>{SAY.reviewWords(queue.waiting, queue.overdue)}</dd>
        <dt>{SAY.stuck}</dt>
        <dd>
          {SAY.stuckWords(versions.submitted, versions.checking, versions.approved)}
          {since(versions.oldestAt)}
        </dd>
        <dt>{SAY.mails}</dt>
        <dd>
          <span className={mails.tried > 0 ? 'fault' : ''}>{SAY.mailWords(mails.waiting, mails.tried)}</span>
          {since(mails.oldestAt)}
          {mails.carried ? null : <p className="soft">{SAY.toLog}</p>}
        </dd>
        <dt>{SAY.revocations}</dt>
        <dd>
          {revocations
            ? SAY.revocationWords(revocations.entries, moment(revocations.signedAt))
            : SAY.unsigned}{' '}
          {revocations?.stale ? <span className="badge fault">{SAY.stale}</span> : null}
        </dd>
      </dl>
    </Card>
  );
}

function Jobs({ jobs }: Pick<StoreHealth, 'jobs'>) {
  return (
    <Card title={SAY.jobs}>
      <table>
        <thead>
          <tr>
            <th scope="col">{SAY.job}</th>
            <th scope="col">{SAY.done}</th>
            <th scope="col">{SAY.failed}</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ name, doneAt, failedAt }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td data-label={SAY.done}>{orNever(doneAt)}</td>
              <td data-label={SAY.failed} className={failedAt === null ? '' : 'fault'}>
                {orNever(failedAt)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** How the store fares, as the process that answers sees it. */
export function HealthView() {
  const health = useQuery({
    queryKey: [PATH],
    queryFn: () => read<StoreHealth>(PATH),
    refetchInterval: EACH_MS,
  });
  return (
    <>
      <h1>{SAY.title}</h1>
      <Loaded query={health}>
        {(data) => (
          <>
            <p className="soft">{SAY.asOf(moment(data.at))}</p>
            <Probes probes={data.probes} />
            <Waits health={data} />
            <Jobs jobs={data.jobs} />
          </>
        )}
      </Loaded>
    </>
  );
}
