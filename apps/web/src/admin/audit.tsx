import type { AuditEntry, AuditPage } from '@svc/contracts';
import { AUDIT_ACTIONS } from '@svc/contracts/vocabulary';
import { Card, Loaded, moment } from '../account/parts.tsx';
import { Choice, Filters, More, narrowedBy } from './list.tsx';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.audit;

/** A time as the field of a form has it, in UTC, as the API takes it. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const wordOf = (value: AuditEntry['detail'][string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

function Entry({ entry }: { entry: AuditEntry }) {
  const { action, actor, at, appId, version, publisher, address, requestId, tokenId, detail } = entry;
  const about = [appId, version, publisher].filter((one) => one !== null);
  return (
    <li>
      <div>
        <strong>{action}</strong> {about.length > 0 ? <code>{about.join(' ')}</code> : null}
        <p className="soft">
          {moment(at)}, {MESSAGES.by} <code>{actor}</code>
          {address === null ? '' : `, ${MESSAGES.at} ${address}`}
          {tokenId === null ? '' : `, ${MESSAGES.token} ${tokenId}`}
          {requestId === null ? '' : `, ${MESSAGES.request} ${requestId}`}
        </p>
        {Object.keys(detail).length === 0 ? null : (
          <dl className="facts">
            {Object.entries(detail).map(([name, value]) => (
              <div key={name} className="pair">
                <dt>{name}</dt>
                <dd className="said">{wordOf(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
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
            const entries = pages.flatMap((page) => page.entries);
            return entries.length === 0 ? (
              <p>{WORDS.none}</p>
            ) : (
              <ul className="rows">
                {entries.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
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
