import type { StoreHealth } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { count, ErrorMessage, Facts, Loaded, moment, Rows, time } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { useWaitingEmergencies } from '../extensions/emergencies/use-waiting.ts';
import { StoreLink } from '../extensions/store-link.tsx';
import { type Column, DataTable } from './data-table.tsx';

const JOBS = 'Background jobs of this process';
const REQUEST = apiRequest('GET /api/admin/health');
const READY = apiRequest('GET /readyz');
const REFRESH_MS = 30_000;

const orNever = (at: string | null): string => (at === null ? 'never' : moment(at));

const since = (at: string | null) => (at === null ? '' : `, oldest from ${moment(at)}`);

/** Something that an administrator has to look at, with the page where that is done. */
type Need = readonly [text: string, path: string];

const needIf = (n: number, noun: string, rest: string, path: string): Need[] =>
  n === 0 ? [] : [[`${count(n, noun)} ${rest}`, path]];

/** How far the revocation list may be ahead of the clock of the store, in milliseconds. */
const AHEAD_MS = 5 * 60_000;

const isAhead = ({ at, revocations }: StoreHealth): boolean =>
  revocations !== null && Date.parse(revocations.signedAt) - Date.parse(at) > AHEAD_MS;

/** The most versions that a line names. */
const NAMED = 5;

/** The names of versions that an older database has lost, some of many. */
const namesOf = (versions: readonly { appId: string; version: string }[]): string => {
  const names = versions.slice(0, NAMED).map(({ appId, version }) => `${appId} ${version}`);
  return [...names, ...(versions.length > NAMED ? [`${versions.length - NAMED} more`] : [])].join(', ');
};

/** What an older copy of the database has lost. */
function lostIn({ rollback }: StoreHealth): Need[] {
  if (!rollback) return [];
  const { noticedAt, yanks, gone } = rollback;
  const lines = [
    `The database was replaced by an older copy, noticed ${moment(noticedAt)}: what was decided since is lost`,
    ...(gone.length > 0 ? [`No longer published: ${namesOf(gone)}`] : []),
    ...(yanks.length > 0 ? [`Yanked again: ${namesOf(yanks)}`] : []),
  ];
  return lines.map((line) => [line, '/docs/backup'] as const);
}

/** What the process that answers has nearly used up. */
const nearIn = ({ resources }: StoreHealth): Need[] =>
  resources.flatMap(({ name, used, limit, since }): Need[] =>
    since === null
      ? []
      : [
          [
            `${Math.round((used / limit) * 100)} % of the ${name} of a process in use, since ${moment(since)}`,
            '/docs/monitoring',
          ],
        ],
  );

/** How old the last verified backup may be, in milliseconds. */
const BACKUP_MS = 48 * 60 * 60_000;

/** What is wrong with the backups that are verified. */
function backupNeeds({ at, backup }: StoreHealth): Need[] {
  if (backup === null) return [];
  const { takenAt, fault } = backup;
  if (fault !== null) return [[`The last backup cannot be restored: ${fault}`, '/docs/backup']];
  if (takenAt === null || Date.parse(at) - Date.parse(takenAt) <= BACKUP_MS) return [];
  return [[`The last verified backup is of ${moment(takenAt)}`, '/docs/backup']];
}

/** How long entries of the log may wait, in milliseconds. */
const LOG_WAITS_MS = 60_000;

/** What is wrong with the log; null when nothing is. */
function logFault({ at, log }: StoreHealth): string | null {
  if (log === null) return null;
  if (log.fault !== null) return log.fault;
  const age = log.publishedAt === null ? 0 : Date.parse(at) - Date.parse(log.publishedAt);
  if (age > LOG_WAITS_MS) return `The log is not published since ${moment(log.publishedAt ?? at)}`;
  if (log.cosigned < log.quorum)
    return `The log has ${count(log.cosigned, 'cosignature')}, and clients may demand ${log.quorum}`;
  return null;
}

/** The tile of the log. */
function logTile(health: StoreHealth): Tile {
  const { log } = health;
  const fault = logFault(health);
  return {
    label: 'Log',
    fault: fault !== null && (log?.fault ? 'clients saw another one' : 'see below'),
    fine: log === null ? 'switched off' : `${count(log.size, 'act')}, published`,
    path: '/docs/log',
  };
}

type Tile = { label: string; fault: string | false; fine: string; path?: string };

/** The parts of the store, each fine or with what is wrong. */
function tilesOf(health: StoreHealth): Tile[] {
  const { probes, queue, mails, revocations } = health;
  const failing = (names: RegExp) => probes.filter(({ name, ok }) => names.test(name) && !ok);
  const unreachable = (names: RegExp) => {
    const faults = failing(names).map(({ name }) => name);
    return faults.length > 0 && `${faults.join(' and ')} unreachable`;
  };
  const down = health.services.filter(({ ok }) => !ok).map(({ name }) => name);
  const isDown = (service: string) => down.includes(service);
  return [
    {
      label: 'Store',
      fault:
        unreachable(/^(?!bundle storage|upload folder)/) ||
        (lostIn(health).length > 0 && 'the database was replaced by an older copy') ||
        (nearIn(health).length > 0 && 'a process is near a limit') ||
        (revocations?.stale === true && 'revocation list is stale') ||
        (isAhead(health) && 'revocation list is ahead of the clock'),
      fine: revocations === null ? 'running' : `revocations signed ${time(revocations.signedAt)}`,
      path: '/admin/keys',
    },
    { label: 'Storage', fault: unreachable(/^(?:bundle storage|upload folder)/), fine: 'reachable' },
    {
      label: 'Mail',
      fault:
        (isDown('mail server') && 'the mail server cannot be reached') ||
        (mails.tried > 0 && `${mails.tried} being retried`),
      fine: mails.carried ? `${mails.waiting} queued` : 'written to the log: no mail server',
    },
    {
      label: 'Services',
      fault: down.length > 0 && `${down.join(', ')} unreachable`,
      fine: 'no fault',
    },
    logTile(health),
    {
      label: 'Review queue',
      fault: queue.overdue > 0 && `${queue.overdue} overdue`,
      fine: `${queue.waiting} waiting`,
      path: '/moderation/versions',
    },
  ];
}

function Tiles({ health }: { health: StoreHealth }) {
  return (
    <ul className="tiles">
      {tilesOf(health).map(({ label, fault, fine, path }) => (
        <li key={label} className={`card tile ${fault === false ? '' : 'bad'}`}>
          <i className={`dot ${fault === false ? 'good' : 'bad'}`} aria-hidden="true" />
          {path === undefined ? label : <StoreLink href={path}>{label}</StoreLink>}
          <span>{fault === false ? fine : fault}</span>
        </li>
      ))}
    </ul>
  );
}

/** What waits for an administrator, or for someone with access to the machine. */
function useNeeds(health: StoreHealth): Need[] {
  const { probes, queue, versions, mails, jobs } = health;
  const names = useRead(apiRequest('GET /api/admin/name-requests', { query: { limit: '100' } }));
  const waiting = useWaitingEmergencies();
  return [
    ...probes.flatMap(({ name, ok }): Need[] =>
      ok ? [] : [[`The ${name} is unreachable`, '/docs/monitoring']],
    ),
    ...lostIn(health),
    ...backupNeeds(health),
    ...nearIn(health),
    ...(logFault(health) === null ? [] : [[logFault(health) ?? '', '/docs/log'] as const]),
    ...health.services.flatMap(({ name, since }): Need[] =>
      since === null ? [] : [[`The ${name} cannot be reached since ${moment(since)}`, '/docs/monitoring']],
    ),
    ...(isAhead(health)
      ? [
          [
            'The clock was wrong, or is wrong now: the revocation list is ahead of it',
            '/docs/backup#clocks',
          ] as const,
        ]
      : []),
    ...needIf(waiting, 'emergency act', 'to confirm or refuse', '/admin/emergencies'),
    ...needIf(queue.overdue, 'version', 'overdue for review', '/moderation/versions?overdue=true'),
    ...needIf(queue.unassigned, 'version', 'without a moderator', '/moderation/versions?assigned=nobody'),
    ...needIf(names.data?.requests.length ?? 0, 'name change', 'to decide', '/admin/publishers'),
    ...needIf(versions.abandoned, 'version', 'left by a stopped process', '/docs/monitoring'),
    ...needIf(mails.tried, 'mail', 'could not be sent, and will be retried', '/docs/monitoring'),
    ...jobs.flatMap((job): Need[] =>
      isFailing(job) ? [[`A job failed: ${job.name}`, '/docs/monitoring']] : [],
    ),
  ];
}

function Needs({ health }: { health: StoreHealth }) {
  const needs = useNeeds(health);
  return (
    <Card title="Needs you">
      <Rows none="Nothing." of={needs}>
        {([text, path]) => (
          <li key={text}>
            <StoreLink href={path}>{text}</StoreLink>
          </li>
        )}
      </Rows>
    </Card>
  );
}

/** What is grey while it is 0. */
const lookOf = (n: number): string => (n === 0 ? 'soft' : '');

function Backlog({ health: { queue, versions, mails, revocations } }: { health: StoreHealth }) {
  const underWay = versions.submitted + versions.checking + versions.approved;
  return (
    <Card title="Backlog">
      <Facts
        facts={[
          [
            'In review',
            `${queue.waiting}, ${queue.overdue} overdue${since(queue.oldestAt)}`,
            lookOf(queue.waiting),
          ],
          [
            'Of these',
            `${queue.locked} locked by a moderator, ${queue.unassigned} unassigned, ${queue.changesRequested} waiting for the publisher`,
            lookOf(queue.waiting),
          ],
          [
            'In progress',
            `${versions.submitted} submitted, ${versions.checking} being checked, ${versions.approved} approved but not signed${since(versions.oldestAt)}`,
            lookOf(underWay + versions.abandoned),
          ],
          [
            'Outgoing mail',
            `${mails.waiting} queued, ${mails.tried} being retried${since(mails.oldestAt)}`,
            lookOf(mails.waiting),
          ],
          [
            'Revocation list',
            revocations
              ? `${count(revocations.entries, 'version')}, signed ${moment(revocations.signedAt)}`
              : 'not signed yet',
            lookOf(revocations?.entries ?? 0),
          ],
        ]}
      />
    </Card>
  );
}

type Job = StoreHealth['jobs'][number];

/** Whether the last run of a job failed. */
const isFailing = ({ doneAt, failedAt }: Job): boolean =>
  failedAt !== null && (doneAt === null || doneAt < failedAt);

const JOB_COLUMNS: readonly Column<Job>[] = [
  { label: 'Job', cell: ({ name }) => name },
  { label: 'Last success', cell: ({ doneAt }) => orNever(doneAt) },
  {
    label: 'Last failure',
    cell: ({ failedAt }) => <span className={failedAt === null ? 'soft' : 'fault'}>{orNever(failedAt)}</span>,
  },
];

/** The jobs, folded unless one failed. */
const Jobs = ({ jobs }: Pick<StoreHealth, 'jobs'>) => (
  <Card>
    <details open={jobs.some(isFailing) || undefined}>
      <summary>
        <strong>{JOBS}</strong>{' '}
        <span className="soft">{`${jobs.length}, ${jobs.filter(isFailing).length} failing`}</span>
      </summary>
      <DataTable label={JOBS} columns={JOB_COLUMNS} rows={jobs} keyOf={({ name }) => name} />
    </details>
  </Card>
);

/** Why the health could not be read; what is shown below is older. Which part is not ready is known without a database. */
function NotRead({ error }: { error: Error | null }) {
  const ready = useRead(READY, { refetchInterval: REFRESH_MS, retry: false });
  return <ErrorMessage error={ready.error ?? error} />;
}

/** The health of the store, as seen by the process that answers. */
export function HealthView() {
  const health = useRead(REQUEST, { refetchInterval: REFRESH_MS, refetchOnWindowFocus: 'always' });
  return (
    <>
      <h1>Health</h1>
      {health.error && <NotRead error={health.data ? health.error : null} />}
      <Loaded query={health}>
        {(data) => (
          <>
            <p className="soft">{`As of ${moment(data.at)}. Refreshes every 30 seconds.`}</p>
            <Tiles health={data} />
            <Needs health={data} />
            <Backlog health={data} />
            <Jobs jobs={data.jobs} />
          </>
        )}
      </Loaded>
    </>
  );
}
