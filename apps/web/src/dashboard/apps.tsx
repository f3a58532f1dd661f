import type { OwnApp, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Loaded, Rows } from '@svc/ui';
import { Card, LoadMore, Named } from '../account/parts.tsx';
import { hasExtension } from '../extensions/has.ts';
import { barsOf } from './day-bars.ts';
import { FirstApp } from './first-app.tsx';
import { drawingOf, Icon, StateBadge } from './parts.tsx';
import { PublishCard } from './publish-card.tsx';
import { isMoving, usePages } from './use-live.ts';

const WEEK = 7;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const waitingIn = ({ counts }: OwnApp): number =>
  counts.submitted + counts.checking + counts.in_review + counts.approved;

/** The installs of the last days as bars without an axis. */
function Sparkline({ recent }: { recent: readonly number[] }) {
  const sum = sumOf(recent);
  return (
    <svg
      className="sparkline"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${sum.toLocaleString('en')} installs in the last ${recent.length} days`}
    >
      {barsOf(recent).map((bar) => (
        <rect key={bar.x} {...bar} />
      ))}
    </svg>
  );
}

function AppRow({ slug, app }: { slug: string; app: OwnApp }) {
  const { appId, name, newest, listed, suspended, recent } = app;
  return (
    <li>
      <Named picture={<Icon path={drawingOf(app.iconUrl)} name={visible(name)} side={44} />}>
        <a href={`/account/publishers/${slug}/apps/${appId}`}>{visible(name)}</a>{' '}
        {newest.needsYou ? <span className="badge mild">needs you</span> : null}
        <br />
        <code className="soft">{appId}</code>
      </Named>
      <span className="cluster app-figures">
        {sumOf(recent) > 0 ? <Sparkline recent={recent} /> : <span className="soft">no installs yet</span>}
        <span className="soft">
          {listed && listed.rating.count > 0
            ? `★ ${listed.rating.average.toFixed(1)} (${listed.rating.count.toLocaleString('en')})`
            : hasExtension('ratings') && 'no ratings'}
        </span>
        <span>
          <span className="soft">{newest.version}</span>{' '}
          {suspended ? <span className="badge fault">suspended</span> : <StateBadge state={newest.status} />}
        </span>
      </span>
    </li>
  );
}

/** What the apps of the page have in sum. */
function Sums({ apps }: { apps: readonly OwnApp[] }) {
  const needs = apps.filter(({ newest }) => newest.needsYou).length;
  const tiles = [
    ['Installs, last 7 days', sumOf(apps.flatMap(({ recent }) => recent.slice(-WEEK))), ''],
    ['Waiting for the store', sumOf(apps.map(waitingIn)), ''],
    ['Waiting for you', needs, needs > 0 ? 'bad' : ''],
  ] as const;
  return (
    <ul className="tiles sums">
      {tiles.map(([label, n, look]) => (
        <li key={label} className={`card tile ${look}`}>
          {label}
          <span>{n.toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  );
}

/** The apps of a publisher, with a form to publish a version; a guide when there are no apps. */
export function Apps({ publisher: { slug, suspended } }: { publisher: PublisherDetail }) {
  const query = usePages(
    (cursor) => apiRequest('GET /api/publishers/:slug/apps', { params: { slug }, query: { cursor } }),
    ({ apps }) => apps.some(({ newest }) => isMoving(newest.status)),
  );
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const apps = pages.flatMap((page) => page.apps);
        return (
          <>
            {apps.length === 0 ? <FirstApp slug={slug} /> : <Sums apps={apps} />}
            {suspended ? null : <PublishCard target={{ slug, appId: undefined, apps }} />}
            {apps.length === 0 ? null : (
              <Card title="Apps">
                <Rows of={apps}>{(app) => <AppRow key={app.appId} slug={slug} app={app} />}</Rows>
                <LoadMore query={query} label="Load more apps" />
              </Card>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
