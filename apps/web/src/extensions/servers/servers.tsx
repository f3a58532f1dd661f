import type { ServerDrift } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { CHANGE_SIGNS, SIGN_WORDS } from '@svc/permissions';
import { visible } from '@svc/text';
import { Loaded, ModelText } from '@svc/ui';
import { send } from '../../account/api.ts';
import { useRead, useSignedIn } from '../../account/use-store.ts';
import { TakeDown } from '../../dashboard/yank.tsx';
import { type Item, Lane } from '../../moderation/lane.tsx';
import { resultsOf } from '../../moderation/selection.tsx';

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
            const left = await send(csrf, apiRequest(path, { params: { appId }, json }));
            // Where the policy demands two persons, the first leaves it in the list.
            return left.entries.some((entry) => entry.appId === appId)
              ? 'One of two: recorded. It waits until another person accepts it too.'
              : 'Accepted: this is the record now.';
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
