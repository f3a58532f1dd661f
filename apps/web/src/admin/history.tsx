import type { AuditEntry, AuditPage } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { AUDIT_WORDS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { day, EmptyState, Facts, Field, Loaded, Select, time } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import { Card, LoadMore } from '../account/parts.tsx';
import { useParams } from '../address.ts';
import { usePages } from '../dashboard/use-live.ts';
import { pathOf as reviewPath } from '../moderation/version-path.ts';
import { actionWords, personIn } from './audit-words.ts';
import { Filters } from './list.tsx';
import { filled } from './paged-table.tsx';

/** Converts the local time of a form field to UTC, as the API expects it. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const ACTIONS = Object.entries(AUDIT_WORDS);

const DIRECTIONS = [
  ['', 'Newest first'],
  ['asc', 'Oldest first'],
] as const;

/** What the search of the log is for: parameters of the request, of which a search has one. */
const SEARCHED = { actor: 'Actor', appId: 'App id', publisher: 'Publisher' };

type Searched = keyof typeof SEARCHED;

const SEARCHES = Object.entries(SEARCHED) as [Searched, string][];

/** What a search is for takes, in words, before anything is written. */
const EXAMPLES = {
  actor: 'Name, email or signer',
  appId: 'com.example.app',
  publisher: 'Short name',
} satisfies Record<Searched, string>;

/** One search box, for an actor, an app or a publisher. */
function Search({ params }: { params: Record<string, string> }) {
  const given = SEARCHES.find(([name]) => params[name])?.[0] ?? 'actor';
  const [by, setBy] = useState<Searched>(given);
  return (
    <>
      <Select label="Search by" of={SEARCHES} value={by} choose={setBy} />
      <Field
        label={SEARCHED[by]}
        type="search"
        name={by}
        placeholder={EXAMPLES[by]}
        autoComplete="off"
        defaultValue={params[given]}
        maxLength={by === 'publisher' ? 40 : 200}
      />
      {SEARCHES.filter(([name]) => name !== by).map(([name]) => (
        <input key={name} type="hidden" name={name} value="" />
      ))}
    </>
  );
}

function AuditFilters({ params }: { params: Record<string, string> }) {
  return (
    <Filters
      isLive={false}
      more={{
        label: 'More filters',
        isOpen: ['from', 'to', 'direction'].some((name) => params[name]),
        children: (
          <>
            <Field label="From" type="datetime-local" name="from" defaultValue={params.from} />
            <Field label="Before" type="datetime-local" name="to" defaultValue={params.to} />
            <Select label="Order" of={DIRECTIONS} name="direction" defaultValue={params.direction} />
          </>
        ),
      }}
    >
      <Search params={params} />
      <Select label="Action" of={[['', 'Any'], ...ACTIONS]} name="action" defaultValue={params.action} />
    </Filters>
  );
}

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
  return (
    <>
      <h1>Audit log</h1>
      <AuditFilters params={params} />
      <History query={{ ...params, from: instantOf(from), to: instantOf(to) }} />
    </>
  );
}

type Names = AuditPage['names'];

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

/** What an entry is about, with the noun that the name replaces in the sentence. */
type Target = { noun: RegExp; path: string; name: string };

function targetsOf(entry: AuditEntry, names: Names): Target[] {
  const { appId, version, publisher } = entry;
  const person = personIn(entry);
  const app = appId === null ? '' : nameOf(names, `app:${appId}`);
  return [
    ...(appId === null
      ? []
      : version === null
        ? [{ noun: /\ban app\b/, path: `/admin/apps/${encodeURIComponent(appId)}`, name: app }]
        : [
            {
              noun: /\b(?:a (?:yanked )?version|an app)\b/,
              path: reviewPath({ appId, version }),
              name: `${app} ${visible(version)}`,
            },
          ]),
    ...(publisher === null
      ? []
      : [
          {
            noun: /\ba publisher\b/,
            path: `/admin/publishers/${publisher}`,
            name: nameOf(names, `publisher:${publisher}`),
          },
        ]),
    ...(person === null
      ? []
      : [
          {
            noun: /\ba user\b|\ban account\b/,
            path: `/admin/people/${encodeURIComponent(person)}`,
            name: nameOf(names, `person:${person}`),
          },
        ]),
  ];
}

const Link = ({ path, name }: Target) => (
  <a href={path}>
    <bdi>{name}</bdi>
  </a>
);

/** What an entry says, as a sentence: the targets stand where their nouns do, others at the end. */
function sentenceOf(entry: AuditEntry, names: Names): ReactNode[] {
  let parts: ReactNode[] = [actionWords(entry)];
  const others: ReactNode[] = [];
  for (const target of targetsOf(entry, names)) {
    const link = <Link key={target.path} {...target} />;
    const at = parts.findIndex((part) => typeof part === 'string' && target.noun.test(part));
    if (at < 0) {
      others.push(others.length === 0 ? ' for ' : ', ', link);
      continue;
    }
    const [before, ...after] = String(parts[at]).split(target.noun);
    parts = [...parts.slice(0, at), before, link, after.join(''), ...parts.slice(at + 1)];
  }
  return [...parts, ...others];
}

const PERSON = 'person:';

function Actor({ actor, names }: { actor: string; names: Names }) {
  const name = <bdi>{nameOf(names, actor)}</bdi>;
  if (!actor.startsWith(PERSON)) return name;
  return <a href={`/admin/people/${encodeURIComponent(actor.slice(PERSON.length))}`}>{name}</a>;
}

function Entry({ entry, names }: { entry: AuditEntry; names: Names }) {
  return (
    <li>
      <time className="soft" dateTime={entry.at}>
        {time(entry.at)}
      </time>
      <p>
        <Actor actor={entry.actor} names={names} /> {sentenceOf(entry, names)}
      </p>
      <details>
        <summary>
          <span className="unseen">Details</span>
        </summary>
        <Facts facts={pairsOf(entry, names).map(([name, value]) => [name, value, 'plain'] as const)} />
      </details>
    </li>
  );
}

/** Entries of the audit log, by day, in the order in which they are read. */
export function History({
  title,
  query,
}: {
  title?: string;
  query: Partial<Record<QueryName<'GET /api/admin/audit'>, string>>;
}) {
  const log = usePages((cursor) =>
    apiRequest('GET /api/admin/audit', { query: { ...filled(query as Record<string, string>), cursor } }),
  );
  return (
    <Card {...(title !== undefined && { title })}>
      <Loaded query={log}>
        {({ pages }) => {
          const rows = pages.flatMap(({ entries, names }) => entries.map((entry) => ({ entry, names })));
          if (rows.length === 0) return <EmptyState icon="search-x" title="No entries" />;
          return Array.from(
            Map.groupBy(rows, ({ entry }) => day(entry.at)),
            ([date, ofDay]) => (
              <section key={date} aria-label={date}>
                {title === undefined ? <h2>{date}</h2> : <h3>{date}</h3>}
                <ul className="rows log">
                  {ofDay.map((row) => (
                    <Entry key={row.entry.id} {...row} />
                  ))}
                </ul>
              </section>
            ),
          );
        }}
      </Loaded>
      <LoadMore query={log} label="Load more" />
    </Card>
  );
}
