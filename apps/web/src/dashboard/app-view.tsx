import type { ExtensionName, OwnApp, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { EmptyState, Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { ActList } from '../account/acts.tsx';
import { Card, Named, NotFound } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { hasExtension, ofStore } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import type { OwnRef } from './diff-view.tsx';
import { Follow } from './follow.tsx';
import { InstallStats } from './install-stats.tsx';
import { Life } from './life.tsx';
import { drawingOf, Icon, StateBadge } from './parts.tsx';
import { PublishCard } from './publish-card.tsx';
import { isMoving, useLive } from './use-live.ts';
import { Versions, VersionView } from './versions.tsx';
import { useTakeDownApp } from './yank.tsx';

const TrustedPublishing = partOf(
  () => import('../extensions/ci/trusted-publishing.tsx'),
  'TrustedPublishing',
);
const Ratings = partOf(() => import('../extensions/ratings/ratings-view.tsx'), 'Ratings');

function Heading({
  slug,
  app,
  publisher,
}: {
  slug: string;
  app: OwnApp;
  publisher: PublisherDetail | undefined;
}) {
  const { appId, name, iconUrl, listed, counts } = app;
  const suspended = app.suspended || publisher?.suspended;
  return (
    <>
      <Named picture={<Icon path={drawingOf(iconUrl)} name={visible(name)} side={64} />}>
        <h1>{visible(name)}</h1>
        <p>
          <code>{appId}</code>
        </p>
        <p className="soft">
          {listed && !suspended
            ? `${listed.version} is in the catalogue`
            : listed || counts.yanked > 0
              ? 'Not in the catalogue'
              : 'Not published yet'}
          {listed && !suspended && hasExtension('storefront') ? (
            <>
              {' · '}
              <a href={`/apps/${appId}`}>View in the catalogue</a>
            </>
          ) : null}
        </p>
      </Named>
      {suspended ? (
        <p className="fault">
          {app.suspended ? 'This app' : 'The publisher'} is suspended: the app is not listed, and you cannot
          publish new versions.{' '}
          {hasExtension('appeals') ? (
            <a href={`/account/publishers/${slug}/decisions`}>Why, and how to appeal</a>
          ) : null}
        </p>
      ) : null}
    </>
  );
}

type TabProps = { own: OwnRef; app: OwnApp; publisher: PublisherDetail | undefined };

function Overview({ own, app, publisher }: TabProps) {
  const { slug, appId } = own;
  return (
    <>
      {app.suspended || publisher?.suspended !== false ? null : (
        <PublishCard target={{ slug, appId, apps: [app] }} />
      )}
      <Card>
        <h2>
          {visible(app.newest.version)} <StateBadge state={app.newest.status} />
        </h2>
        <Follow slug={slug} appId={appId} version={app.newest.version} />
      </Card>
    </>
  );
}

/** Where an app is taken down: what people look for in its settings. */
function TakeDown({ own, app }: { own: OwnRef; app: OwnApp }) {
  const act = useTakeDownApp(own, app.counts.published);
  return app.counts.published === 0 ? null : <ActList title="Take down" acts={[act]} />;
}

const Settings = ({ own, app, publisher }: TabProps) =>
  publisher?.role === 'owner' ? (
    <>
      {hasExtension('ci') ? <TrustedPublishing {...own} /> : null}
      <Life {...own} />
      <TakeDown own={own} app={app} />
    </>
  ) : (
    <TakeDown own={own} app={app} />
  );

type Tab = { id: string; label: string; extension?: ExtensionName; view(props: TabProps): ReactNode };

const ALL_TABS: readonly Tab[] = [
  { id: '', label: 'Overview', view: (props) => <Overview {...props} /> },
  { id: 'versions', label: 'Versions', view: ({ own }) => <Versions own={own} /> },
  {
    id: 'reviews',
    label: 'Reviews',
    extension: 'ratings',
    view: ({ own, app }) =>
      app.listed && !app.suspended ? (
        <Ratings appId={own.appId} />
      ) : (
        <EmptyState icon="message-circle" title="No reviews">
          <p>Users who installed the app can rate it once it is in the catalogue.</p>
        </EmptyState>
      ),
  },
  { id: 'installs', label: 'Installs', view: ({ own, app }) => <InstallStats own={own} app={app} /> },
  { id: 'settings', label: 'Settings', view: (props) => <Settings {...props} /> },
];

const TABS = ofStore(ALL_TABS);

/**
 * The page of an app for its publisher, one tab at a time.
 * @param tab last part of the path; empty for the overview
 * @param version of the page of one version, which is below its tab
 */
export function AppView({ own, tab, version }: { own: OwnRef; tab: string; version?: string | undefined }) {
  const { slug, appId } = own;
  const request = apiRequest('GET /api/publishers/:slug/apps/:appId', { params: own });
  const query = useLive(request, ({ newest }) => isMoving(newest.status));
  const publisher = useRead(apiRequest('GET /api/publishers/:slug', { params: { slug } }));
  const home = `/account/publishers/${slug}/apps/${appId}`;
  const pathOf = (id: string) => (id === '' ? home : `${home}/${id}`);
  const shown = TABS.find(({ id }) => id === tab);
  return (
    <Loaded
      query={query}
      page={appId}
      back={<a href={`/account/publishers/${slug}`}>Apps of the publisher</a>}
    >
      {(app) => (
        <>
          <Heading slug={slug} app={app} publisher={publisher.data} />
          <TabNav
            label="App"
            tabs={TABS.map(({ id, label }) => ({ path: pathOf(id), label }))}
            current={pathOf(tab)}
          />
          {version === undefined ? (
            (shown?.view({ own, app, publisher: publisher.data }) ?? (
              <NotFound href={home} label="Overview of the app" />
            ))
          ) : (
            <VersionView own={own} version={version} />
          )}
        </>
      )}
    </Loaded>
  );
}
