import type { AuditEntry, AuditPage } from '@svc/contracts';
import { AUDIT_ACTIONS } from '@svc/contracts/vocabulary';
import { Card, Loaded, moment } from '../account/parts.tsx';
import { visible } from '../check/words.ts';
import { Choice, Filters, More, narrowedBy } from './list.tsx';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.audit;

/** A time as the field of a form has it, in UTC, as the API takes it. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const wordOf = (value: AuditEntry['detail'][string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** Who it was: people by their names, anybody else as they stand on record. */
const nameOf = (names: AuditPage['names'], actor: string): string => visible(names[actor] ?? actor);

/** What is technical about an entry, and what else was said of it. */
function pairsOf({ address, requestId, tokenId, actor, detail }: AuditEntry, names: AuditPage['names']) {
  const told = Object.entries(detail).map(([name, value]): [string, string] => [
    name,
    name === 'person' ? nameOf(names, `person:${value}`) : wordOf(value),
  ]);
  const from = { [MESSAGES.actor]: actor, [MESSAGES.address]: address, [MESSAGES.token]: tokenId };
  const rest = Object.entries({ ...from, [MESSAGES.request]: requestId });
  return [...told, ...rest.filter((pair): pair is [string, string] => pair[1] !== null)];
}

function Entry({ entry, names }: { entry: AuditEntry; names: AuditPage['names'] }) {
  const { action, actor, at, appId, version, publisher } = entry;
  const about = [appId, version, publisher].filter((one) => one !== null);
  return (
    <li>
      <details className="entry">
        <summary>
          <strong>{nameOf(names, actor)}</strong> {action}{' '}
          {about.length > 0 ? <code>{about.join(' ')}</code> : null}{' '}
          <span className="soft">{moment(at)}</span>
        </summary>
        <dl className="facts">
          {pairsOf(entry, names).map(([name, value]) => (
            <div key={name} className="pair">
              <dt>{name}</dt>
              <dd className="said">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}

/** Who did what, when and from where. */
export function Audit() {
  const asked = narrowedBy(['actor', 'action', 'appId', 'publisher', 'from', 'to']);
  const { from = '', to = '' } = asked;
  const log = usePages<AuditPage>('/api/admin/audit', { ...asked, from: instantOf(from), to: instantOf(to) });
  const options = [
    ['', MESSAGES.anyAction],
    ...AUDIT_ACTIONS.map((action) => [action, action] as const),
  ] as const;
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <Choice label={MESSAGES.action} name="action" value={asked.action} options={options} />
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
          <input type="datetime-local" name="from" defaultValue={from} />
        </label>
        <label>
          {MESSAGES.to}
          <input type="datetime-local" name="to" defaultValue={to} />
        </label>
      </Filters>
      <Card title={MESSAGES.title}>
        <Loaded query={log}>
          {(pages) => {
            const entries = pages.flatMap(({ entries, names }) => entries.map((entry) => ({ entry, names })));
            return entries.length === 0 ? (
              <p>{WORDS.none}</p>
            ) : (
              <ul className="rows">
                {entries.map(({ entry, names }) => (
                  <Entry key={entry.id} entry={entry} names={names} />
                ))}
              </ul>
            );
          }}
        </Loaded>
        <More more={log.more} />
      </Card>
    </>
  );
}
