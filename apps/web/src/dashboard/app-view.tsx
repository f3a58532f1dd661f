import type { OwnApp } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { TrustedPublishing } from '../account/trusted-publishing.tsx';
import { useRead } from '../account/use-store.ts';
import { Follow } from './follow.tsx';
import { Icon } from './icon.tsx';
import { InstallStats } from './install-stats.tsx';
import { Life } from './life.tsx';
import { isMoving } from './poll.ts';
import { PublishCard } from './publish-card.tsx';
import { Ratings } from './ratings.tsx';
import { STATE_WORDS } from './state-badge.tsx';
import { useLive } from './use-live.ts';
import { Versions } from './versions.tsx';

function Heading({ slug, app }: { slug: string; app: OwnApp }) {
  const { appId, name, iconUrl, listed, suspended } = app;
  return (
    <>
      <p>
        <a href={`/account/publishers/${slug}`}>← {slug}</a>
      </p>
      <div className="app">
        <Icon url={iconUrl} name={visible(name)} side={64} />
        <div>
          <h1>{visible(name)}</h1>
          <p>
            <code>{appId}</code>
          </p>
          <p className="soft">
            {listed ? `${listed.version} is in the catalogue` : 'Not published yet'}
            {listed && !suspended ? (
              <>
                {' · '}
                <a href={`/apps/${appId}`}>View in the catalogue</a>
              </>
            ) : null}
          </p>
        </div>
      </div>
      {suspended ? (
        <p className="fault">This app is suspended: it is not listed, and you cannot publish new versions.</p>
      ) : null}
    </>
  );
}

/** The page of an app for its publisher: the newest version, publishing, statistics, reviews and all versions. */
export function AppView({ slug, appId }: { slug: string; appId: string }) {
  const own = { slug, appId };
  const request = apiRequest('GET /api/publishers/:slug/apps/:appId', { params: own });
  const query = useLive(request, ({ newest }) => isMoving(newest.status));
  const publisher = useRead(apiRequest('GET /api/publishers/:slug', { params: { slug } }));
  return (
    <Loaded query={query} page={appId}>
      {(app) => (
        <>
          <Heading slug={slug} app={app} />
          <Card title={`${app.newest.version}: ${STATE_WORDS[app.newest.status]}`}>
            <Follow slug={slug} appId={appId} version={app.newest.version} />
          </Card>
          {app.suspended || publisher.data?.suspended !== false ? null : (
            <PublishCard target={{ slug, appId, apps: [app] }} />
          )}
          <InstallStats own={own} app={app} />
          {app.listed && !app.suspended ? <Ratings appId={appId} /> : null}
          {publisher.data?.role === 'owner' ? <TrustedPublishing slug={slug} appId={appId} /> : null}
          <Versions own={own} app={app} />
          {publisher.data?.role === 'owner' ? <Life slug={slug} appId={appId} /> : null}
        </>
      )}
    </Loaded>
  );
}
