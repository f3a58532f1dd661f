import type { OwnApp, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
import { count } from '@svc/ui/text';
import { Card } from '../account/parts.tsx';
import { FirstApp } from './first-app.tsx';
import { Icon } from './icon.tsx';
import { PublishCard } from './publish-card.tsx';
import { STATE_WORDS, StateBadge } from './state-badge.tsx';
import { isMoving, useLivePages } from './use-live.ts';

const waitingIn = ({ counts }: OwnApp): number =>
  counts.submitted + counts.checking + counts.in_review + counts.approved;

function Counts({ app }: { app: OwnApp }) {
  const { counts } = app;
  const shown = [
    [waitingIn(app), 'waiting'],
    [counts.published, 'published'],
    [counts.rejected, 'rejected'],
    [counts.yanked, 'yanked'],
  ] as const;
  const text = shown.flatMap(([n, what]) => (n > 0 ? [`${n} ${what}`] : []));
  return <span className="soft">{text.join(' · ')}</span>;
}

function AppRow({ slug, app }: { slug: string; app: OwnApp }) {
  const { appId, name, newest, listed, suspended } = app;
  return (
    <li className="app">
      <Icon url={app.iconUrl} name={visible(name)} side={44} />
      <div>
        <a href={`/account/publishers/${slug}/apps/${appId}`}>{visible(name)}</a> <code>{appId}</code>
        <br />
        <Counts app={app} />
      </div>
      <span className="buttons">
        {listed ? <span className="badge">{count(listed.installs, 'install')}</span> : null}
        {suspended ? <span className="badge fault">suspended</span> : null}
        {newest.version === listed?.version ? (
          <span className="badge good">{`${newest.version}: ${STATE_WORDS.published}`}</span>
        ) : (
          <>
            <span className="soft">{newest.version}</span> <StateBadge state={newest.status} />
          </>
        )}
      </span>
    </li>
  );
}

/** The apps of a publisher, with a form to publish a version; a guide when there are no apps. */
export function Apps({ publisher: { slug, suspended } }: { publisher: PublisherDetail }) {
  const query = useLivePages(
    (cursor) => apiRequest('GET /api/publishers/:slug/apps', { params: { slug }, query: { cursor } }),
    ({ apps }) => apps.some(({ newest }) => isMoving(newest.status)),
  );
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const apps = pages.flatMap((page) => page.apps);
        return (
          <>
            {apps.length === 0 ? (
              <FirstApp slug={slug} />
            ) : (
              <Card title="Apps">
                <ul className="rows">
                  {apps.map((app) => (
                    <AppRow key={app.appId} slug={slug} app={app} />
                  ))}
                </ul>
                {query.hasNextPage ? (
                  <button
                    type="button"
                    disabled={query.isFetchingNextPage}
                    onClick={() => query.fetchNextPage()}
                  >
                    Load more apps
                  </button>
                ) : null}
              </Card>
            )}
            {suspended ? null : <PublishCard target={{ slug, appId: undefined, apps }} />}
          </>
        );
      }}
    </Loaded>
  );
}
