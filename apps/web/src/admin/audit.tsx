import type { AuditEntry, AuditPage } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { AUDIT_ACTIONS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Loaded, moment } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useParams } from './address.ts';
import { ACTION_WORDS, actionWords, personIn } from './audit-words.ts';
import { type Column, DataTable } from './data-table.tsx';
import { Choice, Filters, More } from './list.tsx';
import { filled, usePages } from './paged-table.tsx';
import { sortingOf } from './sort.ts';

type Names = AuditPage['names'];
type Row = { entry: AuditEntry; names: Names };

/** Converts the local time of a form field to UTC, as the API expects it. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const textOf = (value: AuditEntry['detail'][string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** The current name of a user, app or publisher; its id when it has no name. */
const nameOf = (names: Names, id: string): string =>
  visible(names[id] ?? id.replace(/^(?:app|publisher):/, ''));

/** The details and technical fields of an entry, as names and values. Users are shown by name. */
function pairsOf(entry: AuditEntry, names: Names) {
  const { address, requestId, tokenId, actor, appId, publisher, detail } = entry;
  const person = personIn(entry);
  const details = Object.entries(detail).map(([name, value]): [string, string] => [
    name,
    nameOf(names, value === person ? `person:${value}` : textOf(value)),
  ]);
  const from = { Actor: actor, Address: address, Token: tokenId };
  const about = { 'App id': appId, Publisher: publisher };
  const rest = Object.entries({ ...about, ...from, Request: requestId });
  return [...details, ...rest.filter((pair): pair is [string, string] => pair[1] !== null)];
}

/** The target of an entry, by name; its ids are in the details. */
function About({ entry, names }: Row) {
  const { appId, version, publisher } = entry;
  const personId = personIn(entry);
  const person = personId === null ? null : nameOf(names, `person:${personId}`);
  const app = appId === null ? null : nameOf(names, `app:${appId}`);
  const owner = publisher === null ? null : nameOf(names, `publisher:${publisher}`);
  const parts = [person, app === null ? null : [app, version].filter(Boolean).join(' '), owner];
  return (
    <>
      {parts
        .filter((part) => part !== null)
        .map((part, n) => (
          <span key={part}>
            {n === 0 ? '' : ', '}
            <bdi>{part}</bdi>
          </span>
        ))}
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Time',
    sort: 'at',
    cell: ({ entry }) => <time dateTime={entry.at}>{moment(entry.at)}</time>,
  },
  { label: 'Actor', cell: ({ entry, names }) => <bdi>{nameOf(names, entry.actor)}</bdi> },
  { label: 'Action', cell: ({ entry }) => actionWords(entry) },
  { label: 'Target', cell: (row) => <About {...row} /> },
  {
    label: 'Details',
    cell: ({ entry, names }) => (
      <details>
        <summary>Details</summary>
        <dl className="facts">
          {pairsOf(entry, names).map(([name, value]) => (
            <div key={name} className="pair">
              <dt>{name}</dt>
              <dd className="said">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    ),
  },
];

const ACTIONS = AUDIT_ACTIONS.map((action) => [action, ACTION_WORDS[action]] as const);

function AuditFilters({ params }: { params: Record<string, string> }) {
  return (
    <Filters isLive={false}>
      <Choice label="Action" name="action" value={params.action} options={[['', 'Any action'], ...ACTIONS]} />
      <label>
        Actor
        <input
          name="actor"
          defaultValue={params.actor}
          maxLength={200}
          placeholder="Name, email address, or signer"
        />
      </label>
      <label>
        App id
        <input name="appId" defaultValue={params.appId} maxLength={200} />
      </label>
      <label>
        Publisher
        <input name="publisher" defaultValue={params.publisher} maxLength={40} />
      </label>
      <label>
        From
        <input type="datetime-local" name="from" defaultValue={params.from} />
      </label>
      <label>
        Before
        <input type="datetime-local" name="to" defaultValue={params.to} />
      </label>
    </Filters>
  );
}

/** The audit log, with filters. */
export function Audit() {
  const params = useParams<QueryName<'GET /api/admin/audit'>>([
    'actor',
    'action',
    'appId',
    'publisher',
    'from',
    'to',
    'direction',
  ]);
  const { from = '', to = '' } = params;
  const log = usePages((cursor) => {
    const query = filled({ ...params, from: instantOf(from), to: instantOf(to) });
    return apiRequest('GET /api/admin/audit', { query: { ...query, cursor } });
  });
  return (
    <>
      <h1>Audit log</h1>
      <AuditFilters params={params} />
      <Card>
        <Loaded query={log}>
          {(pages) => {
            const rows = pages.flatMap(({ entries, names }) => entries.map((entry) => ({ entry, names })));
            return rows.length === 0 ? (
              <p>No results</p>
            ) : (
              <DataTable
                label="Audit log"
                columns={COLUMNS}
                rows={rows}
                keyOf={({ entry }) => entry.id}
                sorting={sortingOf(params, { sort: 'at', direction: 'desc' })}
              />
            );
          }}
        </Loaded>
        <More more={log.more} />
      </Card>
    </>
  );
}
