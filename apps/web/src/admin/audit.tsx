import type { AuditEntry, AuditPage } from '@svc/contracts';
import { AUDIT_ACTIONS } from '@svc/contracts/vocabulary';
import { Card, Loaded, moment } from '../account/parts.tsx';
import { visible } from '../check/words.ts';
import { useAsked } from './address.ts';
import { ACTION_WORDS } from './audit-words.ts';
import { type Column, DataTable } from './data-table.tsx';
import { Choice, Filters, More } from './list.tsx';
import { sortingOf } from './sort.ts';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.audit;

type Names = AuditPage['names'];
type Row = { entry: AuditEntry; names: Names };

/** A time as the field of a form has it, in UTC, as the API takes it. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const wordOf = (value: AuditEntry['detail'][string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** What something is called now; its id where it has no name, or no longer. */
const nameOf = (names: Names, id: string): string =>
  visible(names[id] ?? id.replace(/^(?:app|publisher):/, ''));

/** What is technical about an entry, and what else was said of it. People in it are named. */
function pairsOf({ address, requestId, tokenId, actor, appId, publisher, detail }: AuditEntry, names: Names) {
  const told = Object.entries(detail).map(([name, value]): [string, string] => [
    name,
    nameOf(names, name === 'person' ? `person:${value}` : wordOf(value)),
  ]);
  const from = { [MESSAGES.actor]: actor, [MESSAGES.address]: address, [MESSAGES.token]: tokenId };
  const about = { [MESSAGES.appId]: appId, [MESSAGES.publisher]: publisher };
  const rest = Object.entries({ ...about, ...from, [MESSAGES.request]: requestId });
  return [...told, ...rest.filter((pair): pair is [string, string] => pair[1] !== null)];
}

/** What an entry is about, by its names; the ids are in its details. */
function About({ entry: { appId, version, publisher, detail }, names }: Row) {
  const person = typeof detail.person === 'string' ? nameOf(names, `person:${detail.person}`) : null;
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
    label: MESSAGES.at,
    sort: 'at',
    cell: ({ entry }) => <time dateTime={entry.at}>{moment(entry.at)}</time>,
  },
  { label: MESSAGES.who, cell: ({ entry, names }) => <bdi>{nameOf(names, entry.actor)}</bdi> },
  { label: MESSAGES.what, cell: ({ entry: { action } }) => ACTION_WORDS[action] },
  { label: MESSAGES.about, cell: (row) => <About {...row} /> },
  {
    label: MESSAGES.details,
    cell: ({ entry, names }) => (
      <details>
        <summary>{MESSAGES.details}</summary>
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

function AuditFilters({ asked }: { asked: Record<string, string> }) {
  return (
    <Filters>
      <Choice
        label={MESSAGES.action}
        name="action"
        value={asked.action}
        options={[['', MESSAGES.anyAction], ...ACTIONS]}
      />
      <label>
        {MESSAGES.actor}
        <input name="actor" defaultValue={asked.actor} maxLength={200} placeholder={MESSAGES.actorHint} />
      </label>
      <label>
        {MESSAGES.appId}
        <input name="appId" defaultValue={asked.appId} maxLength={200} />
      </label>
      <label>
        {MESSAGES.publisher}
        <input name="publisher" defaultValue={asked.publisher} maxLength={40} />
      </label>
      <label>
        {MESSAGES.from}
        <input type="datetime-local" name="from" defaultValue={asked.from} />
      </label>
      <label>
        {MESSAGES.to}
        <input type="datetime-local" name="to" defaultValue={asked.to} />
      </label>
    </Filters>
  );
}

/** Who did what, when and from where. */
export function Audit() {
  const asked = useAsked(['actor', 'action', 'appId', 'publisher', 'from', 'to', 'direction']);
  const { from = '', to = '' } = asked;
  const log = usePages<AuditPage>('/api/admin/audit', { ...asked, from: instantOf(from), to: instantOf(to) });
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <AuditFilters asked={asked} />
      <Card>
        <Loaded query={log}>
          {(pages) => {
            const rows = pages.flatMap(({ entries, names }) => entries.map((entry) => ({ entry, names })));
            return rows.length === 0 ? (
              <p>{WORDS.none}</p>
            ) : (
              <DataTable
                label={MESSAGES.title}
                columns={COLUMNS}
                rows={rows}
                keyOf={({ entry }) => entry.id}
                sorting={sortingOf(asked, { sort: 'at', direction: 'desc' })}
              />
            );
          }}
        </Loaded>
        <More more={log.more} />
      </Card>
    </>
  );
}
