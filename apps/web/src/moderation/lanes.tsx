import type { Change, QueueEntry, ServerDrift } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { CHANGE_SIGNS, describeChanges, SIGN_WORDS } from '@svc/permissions';
import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
import { send } from '../account/api.ts';
import { useRead, useSignedIn } from '../account/use-store.ts';
import { ChangeItem, ModelText } from '../changes/change-list.tsx';
import { TakeDown } from '../dashboard/yank.tsx';
import { type Item, Lane } from './lane.tsx';
import { decideAll, resultsOf } from './selection.tsx';

const groupOf = (publisher: string, changes: readonly Pick<Change, 'path' | 'before' | 'after'>[]): string =>
  JSON.stringify([publisher, ...changes.map(({ path, before, after }) => [path, before, after])]);

function itemOfUpdate(entry: QueueEntry): Item {
  const { appId, version, name, publisher, submittedAt, permissionDiff } = entry;
  const { instructions, other } = describeChanges(permissionDiff.changes);
  return {
    ...{ appId, version, name, publisher, since: submittedAt },
    group: groupOf(publisher, permissionDiff.changes),
    words: (
      <>
        {permissionDiff.baseVersion === null ? null : (
          <p className="soft">{`Compared with ${visible(permissionDiff.baseVersion)}.`}</p>
        )}
        <ul className="changes instructions">
          {instructions.map((text) => (
            <ChangeItem key={text.path} text={text} tone="instructions" />
          ))}
          {other.map((text) => (
            <ChangeItem key={text.path} text={text} tone="other" />
          ))}
        </ul>
      </>
    ),
  };
}

/** Updates that wait only because words that agents read change: old and new side by side, decided with one key. */
export function Instructions() {
  const { csrf } = useSignedIn();
  const query = useRead(
    apiRequest('GET /api/moderation/queue', {
      query: { reason: 'flagged:tools.changed', soleReason: true, superseded: false },
    }),
  );
  return (
    <Loaded query={query} page="Instructions">
      {({ entries }) => (
        <Lane
          title="Instructions"
          lead="Updates that change only words that agents read: names and descriptions of tools. Marked phrases give orders to the model."
          none="No changed instructions waiting"
          items={entries.map(itemOfUpdate)}
          accept={(items) => decideAll(csrf, items, 'approve', {})}
          reject={(item, json) => decideAll(csrf, [item], 'reject', json)}
          query={query}
        />
      )}
    </Loaded>
  );
}

/** A value of a server as text: one line for a text, JSON for anything else. */
const shown = (value: unknown): string =>
  value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value, null, 1);

function Differences({ drift }: Pick<ServerDrift, 'drift'>) {
  return (
    <ul className="changes">
      {drift.map(({ tool, path, kind, before, after, widens }) => (
        <li key={`${tool} ${path}`} className={`change ${widens ? 'widens' : 'other'} ${kind}`}>
          <span className="sign" aria-hidden="true">
            {CHANGE_SIGNS[kind]}
          </span>
          <span className="word">{SIGN_WORDS[kind]}</span>
          <div className="told">
            <code className="subject">{visible(tool)}</code> <code>{visible(path)}</code>
            <dl className="sides">
              {([before, after] as const).map((value, index) => (
                <div key={String(index)} className={index === 0 ? 'before' : 'after'}>
                  <dt>{index === 0 ? 'Reviewed' : 'Now'}</dt>
                  <dd className="value">
                    <ModelText text={shown(value)} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        </li>
      ))}
    </ul>
  );
}

const itemOfDrift = ({ drift, reasons: _reasons, ...entry }: ServerDrift): Item & { checkedAt: string } => ({
  ...entry,
  group: JSON.stringify([entry.publisher, drift]),
  words: (
    <>
      {entry.suspended ? <p className="callout">The app is suspended until a moderator decides.</p> : null}
      <Differences drift={drift} />
    </>
  ),
  refuse: <TakeDown own={{ slug: entry.publisher, appId: entry.appId }} version={entry.version} />,
});

/** Servers that list other tools than those that were reviewed. */
export function Servers() {
  const { csrf } = useSignedIn();
  const query = useRead(apiRequest('GET /api/moderation/drift'));
  return (
    <Loaded query={query} page="Servers">
      {({ entries }) => {
        const checkedAt = new Map(entries.map((entry) => [entry.appId, entry.checkedAt]));
        const accept = (items: readonly Item[]) =>
          resultsOf(items, async ({ appId }) => {
            const json = { checkedAt: checkedAt.get(appId) ?? '' };
            const path = 'POST /api/moderation/apps/:appId/drift/accept';
            await send(csrf, apiRequest(path, { params: { appId }, json }));
            return 'Accepted: this is the record now.';
          });
        return (
          <Lane
            title="Servers"
            lead="Servers that now list other tools than those that were reviewed. Clients keep using what was reviewed until you accept. To refuse, yank the version."
            none="No changed servers"
            items={entries.map(itemOfDrift)}
            accept={accept}
            query={query}
          />
        );
      }}
    </Loaded>
  );
}
