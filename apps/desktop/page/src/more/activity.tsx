import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ActivityEntry } from '../../../src/wire/views.ts';
import { durationText } from '../parts/figures.ts';
import { ConfirmButton, ErrorMessage, Heading, Loaded, When } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDesk, useDesktopMutation } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.activity;

/** Pages of the record, one behind the other; those that are shown are asked for again when something happens. */
function useActivity(app: string) {
  const desk = useDesk();
  const asked = app === '' ? {} : { appId: app };
  return useInfiniteQuery({
    queryKey: ['activity.list', asked],
    queryFn: ({ pageParam, signal }) =>
      desk.ask('activity.list', { ...asked, ...(pageParam > 0 && { before: pageParam }) }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ more, entries }) => (more ? entries.at(-1)?.id : undefined),
    placeholderData: (before) => before,
  });
}

function Entry({ entry }: { entry: ActivityEntry }) {
  const { at, appId, kind, name, asker, ms, outcome, detail } = entry;
  const isWell = outcome === 'answered' || outcome === 'connected';
  return (
    <li>
      <div>
        <code>{visible(appId)}</code>{' '}
        <strong>{kind === 'account' ? MESSAGES.account(visible(name)) : visible(name)}</strong>{' '}
        <span className={isWell ? 'badge good' : 'badge'}>{visible(outcome)}</span>
        <p className="soft">
          <When at={at} />
          {asker === null ? '' : `; ${MESSAGES.asker(visible(asker))}`}
          {ms === null ? '' : `; ${durationText(ms)}`}
        </p>
        {detail === '' ? null : (
          <details>
            <summary>{MESSAGES.detail}</summary>
            <pre className="result">{visible(detail)}</pre>
          </details>
        )}
      </div>
    </li>
  );
}

function Filter({
  apps,
  app,
  choose,
}: {
  apps: readonly string[];
  app: string;
  choose(appId: string): void;
}) {
  return (
    <label className="field">
      {MESSAGES.filter}
      <select value={app} onChange={(event) => choose(event.target.value)}>
        <option value="">{MESSAGES.everything}</option>
        {apps.map((appId) => (
          <option key={appId} value={appId}>
            {visible(appId)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What apps and agents did on this machine, newest first, and a way to have it forgotten. */
export function Activity() {
  const [app, setApp] = useState('');
  const found = useActivity(app);
  const clear = useDesktopMutation('activity.clear');
  const entries = found.data?.pages.flatMap((page) => page.entries) ?? [];
  const forget = () => clear.mutate(app === '' ? {} : { appId: app }, { onSuccess: () => setApp('') });
  const sure = app === '' ? MESSAGES.sure : MESSAGES.sureOf(visible(app));
  return (
    <>
      <Heading>{WORDS.pages.activity}</Heading>
      <p className="soft">{MESSAGES.lead}</p>
      <Loaded query={{ ...found, data: found.data?.pages[0] }}>
        {({ apps }) => (
          <>
            {apps.length > 1 || app !== '' ? <Filter apps={apps} app={app} choose={setApp} /> : null}
            {entries.length === 0 ? (
              <p>{MESSAGES.none}</p>
            ) : (
              <ConfirmButton key={app} label={MESSAGES.clear} sure={sure} act={forget} />
            )}
          </>
        )}
      </Loaded>
      <ErrorMessage error={clear.error} />
      <ul className="rows">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {found.hasNextPage ? (
        <button type="button" disabled={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
          {MESSAGES.older}
        </button>
      ) : null}
    </>
  );
}
