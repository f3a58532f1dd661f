import { Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { AppView } from '../dashboard/app-view.tsx';
import { useTitle } from '../title.ts';
import { NotFound } from './parts.tsx';
import { SignedInPage } from './proof-dialog.tsx';
import { PUBLISHER_TABS, PublisherView } from './publisher.tsx';
import { Publishers } from './publishers.tsx';
import { RateView } from './rate/rate-view.tsx';
import { ReportsView, ReportView } from './report.tsx';
import { MyTokens } from './tokens.tsx';
import { useMe } from './use-store.ts';
import { You } from './you.tsx';

const TABS = [
  { path: '/account', label: 'You' },
  { path: '/account/publishers', label: 'Publishers' },
  { path: '/account/tokens', label: 'Tokens' },
  { path: '/account/reports', label: 'Reports' },
] as const;

/** The path of a publisher, with an optional tab. */
const PUBLISHER = /^\/account\/publishers\/([a-z0-9-]+)(?:\/([a-z]+))?$/;
const APP = /^\/account\/publishers\/([a-z0-9-]+)\/apps\/([a-z0-9.-]+)$/;
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
  return (
    path
      .split('/')
      .filter((part) => part !== 'review' && part !== 'report')
      .at(-1) ?? ''
  );
}

/** The tab that a page belongs to. */
const tabOf = (path: string): string =>
  TABS.findLast((tab) => path === tab.path || (tab.path !== '/account' && path.startsWith(`${tab.path}/`)))
    ?.path ?? '';

function viewOf(path: string, installId: string | null): ReactNode {
  const [, rated] = REVIEW.exec(path) ?? [];
  if (rated !== undefined) return <RateView appId={rated} named={installId} />;
  const [, reported] = REPORT.exec(path) ?? [];
  if (reported !== undefined) return <ReportView appId={reported} />;
  const [, owner, appId] = APP.exec(path) ?? [];
  if (owner !== undefined && appId !== undefined) return <AppView slug={owner} appId={appId} />;
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
  const me = useMe();
  const currentPath = path.replace(/(?<!\/)\/+$/, '');
  useTitle(titleOf(currentPath));
  return (
    <Loaded query={me} page="Your account">
      {(data) => (
        <SignedInPage me={data}>
          <TabNav label="Your account" tabs={TABS} current={tabOf(currentPath)} />
          <main id="content">{viewOf(currentPath, installId)}</main>
        </SignedInPage>
      )}
    </Loaded>
  );
}
