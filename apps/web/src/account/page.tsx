import type { ReactNode } from 'react';
import { decoded } from '../address.ts';
import { AppView } from '../dashboard/app-view.tsx';
import { NotFound } from './parts.tsx';
import { AreaPage, type Trail } from './proof-dialog.tsx';
import { PUBLISHER_TABS, PublisherView } from './publisher.tsx';
import { Publishers } from './publishers.tsx';
import { RateView } from './rate/rate-view.tsx';
import { ReportsView, ReportView } from './report.tsx';
import { MyTokens } from './tokens.tsx';
import { You } from './you.tsx';

const TABS = [
  { path: '/account', label: 'You' },
  { path: '/account/publishers', label: 'Publishers' },
  { path: '/account/tokens', label: 'Tokens' },
  { path: '/account/reports', label: 'Reports' },
] as const;

/** The path of a publisher, with an optional tab. */
const PUBLISHER = /^\/account\/publishers\/([a-z0-9-]+)(?:\/([a-z]+))?$/;
const APP = /^\/account\/publishers\/([a-z0-9-]+)\/apps\/([a-z0-9.-]+)(?:\/([a-z]+)(?:\/([^/]+))?)?$/;
const REVIEW = /^\/account\/apps\/([a-z0-9.-]+)\/review$/;
const REPORT = /^\/account\/apps\/([a-z0-9.-]+)\/report$/;

/** The document title: an app, a publisher with its tab, or a tab of the account. */
function titleOf(path: string): string {
  if (path === '/account') return '';
  const label = TABS.find((tab) => tab.path === path)?.label;
  if (label !== undefined) return label;
  const [, slug, tab] = PUBLISHER.exec(path) ?? [];
  if (slug !== undefined && tab !== undefined && PUBLISHER_TABS.has(tab))
    return `${PUBLISHER_TABS.get(tab)} · ${slug}`;
  const [, , appId, part, version] = APP.exec(path) ?? [];
  if (appId !== undefined) return [version ?? part, appId].filter(Boolean).join(' · ');
  return (
    path
      .split('/')
      .filter((last) => last !== 'review' && last !== 'report')
      .at(-1) ?? ''
  );
}

/** The tab that a page belongs to. */
const tabOf = (path: string): string =>
  TABS.findLast((tab) => path === tab.path || (tab.path !== '/account' && path.startsWith(`${tab.path}/`)))
    ?.path ?? '';

/** The page of an app, one of its tabs, or one of its versions; null for another path. */
function appViewOf(path: string): ReactNode {
  const [, slug, appId, tab = '', version] = APP.exec(path) ?? [];
  if (slug === undefined || appId === undefined) return null;
  if (version === undefined) return <AppView key={appId} own={{ slug, appId }} tab={tab} />;
  return tab === 'versions' ? (
    <AppView key={appId} own={{ slug, appId }} tab={tab} version={decoded(version)} />
  ) : (
    <NotFound href={`/account/publishers/${slug}/apps/${appId}`} label={appId} />
  );
}

/** The way from the account to a publisher, and to one of its apps; empty for the pages that the tabs name. */
function trailOf(path: string): Trail {
  const [, slug, appId, tab, version] = APP.exec(path) ?? [];
  const publisher = slug ?? PUBLISHER.exec(path)?.[1];
  if (publisher === undefined) return [];
  const home = `/account/publishers/${publisher}`;
  const [account, publishers] = TABS;
  return [
    { ...account, label: 'Your account' },
    publishers,
    ...(appId === undefined ? [] : [{ path: home, label: publisher }]),
    ...(version === undefined ? [] : [{ path: `${home}/apps/${appId}/${tab}`, label: 'Versions' }]),
  ];
}

function viewOf(path: string, installId: string | null): ReactNode {
  const [, rated] = REVIEW.exec(path) ?? [];
  if (rated !== undefined) return <RateView appId={rated} named={installId} />;
  const [, reported] = REPORT.exec(path) ?? [];
  if (reported !== undefined) return <ReportView appId={reported} />;
  const app = appViewOf(path);
  if (app) return app;
  const [, slug, tab = ''] = PUBLISHER.exec(path) ?? [];
  if (slug !== undefined && PUBLISHER_TABS.has(tab)) return <PublisherView slug={slug} tab={tab} />;
  if (path === '/account/publishers') return <Publishers />;
  if (path === '/account/tokens') return <MyTokens />;
  if (path === '/account/reports') return <ReportsView />;
  if (path === '/account') return <You />;
  return <NotFound href="/account" label="Your account" />;
}

/**
 * The account pages of the signed-in user: profile, publishers, tokens and reviews.
 * @param installId the installation that a client opened the page with
 */
export function AccountPage({ path, installId }: { path: string; installId: string | null }) {
  return (
    <AreaPage
      area="Your account"
      title={titleOf(path)}
      tabs={TABS}
      current={tabOf(path)}
      trail={trailOf(path)}
    >
      {viewOf(path, installId)}
    </AreaPage>
  );
}
