import type { ExtensionName } from '@svc/contracts';
import type { ReactNode } from 'react';
import { decoded } from '../address.ts';
import { ofStore } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import { NotFound } from './parts.tsx';
import { AreaPage, type Trail } from './proof-dialog.tsx';
import { PUBLISHER_TABS, PublisherView } from './publisher.tsx';
import { Publishers } from './publishers.tsx';
import { You } from './you.tsx';

const AppView = partOf(() => import('../dashboard/app-view.tsx'), 'AppView');
const MyTokens = partOf(() => import('./tokens.tsx'), 'MyTokens');
const RateView = partOf(() => import('../extensions/ratings/rate-view.tsx'), 'RateView');
const RecoveryView = partOf(() => import('../extensions/recovery/recovery.tsx'), 'RecoveryView');
const ReportView = partOf(() => import('../extensions/reports/report.tsx'), 'ReportView');
const ReportsView = partOf(() => import('../extensions/reports/report.tsx'), 'ReportsView');

const TABS = ofStore<{ path: string; label: string; extension?: ExtensionName; view: ReactNode }>([
  { path: '/account', label: 'You', view: <You /> },
  { path: '/account/publishers', label: 'Publishers', view: <Publishers /> },
  { path: '/account/tokens', label: 'Tokens', view: <MyTokens /> },
  { path: '/account/reports', label: 'Reports', extension: 'reports', view: <ReportsView /> },
]);

/** The pages without a tab too: a recovery leads to its one. */
const PAGES = [
  ...TABS,
  ...ofStore<(typeof TABS)[number]>([
    { path: '/account/recovery', label: 'Recovery', extension: 'recovery', view: <RecoveryView /> },
  ]),
];

/** The path of a publisher, with an optional tab. */
const PUBLISHER = /^\/account\/publishers\/([a-z0-9-]+)(?:\/([a-z]+))?$/;
const OWN_APP = /^\/account\/publishers\/([a-z0-9-]+)\/apps\/([a-z0-9.-]+)(?:\/([a-z]+)(?:\/([^/]+))?)?$/;
const ANY_APP = /^\/account\/apps\/([a-z0-9.-]+)\/([a-z]+)$/;

/** What a user does with an app of others, by the last part of its path. */
const WITH_APP = ofStore<{
  path: string;
  extension: ExtensionName;
  view(appId: string, installId: string | null): ReactNode;
}>([
  {
    path: 'review',
    extension: 'ratings',
    view: (appId, installId) => <RateView appId={appId} named={installId} />,
  },
  { path: 'report', extension: 'reports', view: (appId) => <ReportView appId={appId} /> },
]);

/** The way from the account to a publisher. */
const TO_PUBLISHER: Trail = [
  { path: '/account', label: 'Your account' },
  { path: '/account/publishers', label: 'Publishers' },
];

type Page = {
  /** Of the document, before the area. */
  title: string;
  view: ReactNode;
  /** Left out for the pages that the tabs name. */
  trail?: Trail;
};

/** The page of an app, one of its tabs, or one of its versions. */
function appPage([, slug = '', appId = '', tab = '', version]: readonly string[]): Page {
  const home = `/account/publishers/${slug}`;
  const versions = { path: `${home}/apps/${appId}/${tab}`, label: 'Versions' };
  return {
    title: [version ?? tab, appId].filter(Boolean).join(' · '),
    trail: [...TO_PUBLISHER, { path: home, label: slug }, ...(version === undefined ? [] : [versions])],
    view:
      version === undefined || tab === 'versions' ? (
        <AppView key={appId} own={{ slug, appId }} tab={tab} version={version && decoded(version)} />
      ) : (
        <NotFound href={`${home}/apps/${appId}`} label={appId} />
      ),
  };
}

function pageOf(path: string, installId: string | null): Page {
  const app = OWN_APP.exec(path);
  if (app) return appPage(app);
  const [, slug, tab = ''] = PUBLISHER.exec(path) ?? [];
  if (slug !== undefined && PUBLISHER_TABS.has(tab))
    return {
      title: tab === '' ? slug : `${PUBLISHER_TABS.get(tab)} · ${slug}`,
      trail: TO_PUBLISHER,
      view: <PublisherView slug={slug} tab={tab} />,
    };
  const [, appId = '', what] = ANY_APP.exec(path) ?? [];
  const withApp = WITH_APP.find((one) => one.path === what);
  if (withApp)
    return {
      title: appId,
      trail: [
        { path: '/', label: 'Apps' },
        { path: `/apps/${appId}`, label: appId },
      ],
      view: withApp.view(appId, installId),
    };
  const shown = PAGES.find((one) => one.path === path);
  if (shown) return { title: path === '/account' ? '' : shown.label, view: shown.view };
  return {
    title: path.split('/').at(-1) ?? '',
    view: <NotFound href="/account" label="Your account" />,
    ...(slug !== undefined && { trail: TO_PUBLISHER }),
  };
}

/**
 * The account pages of the signed-in user: profile, publishers, tokens and reviews.
 * @param installId the installation that a client opened the page with
 */
export function AccountPage({ path, installId }: { path: string; installId: string | null }) {
  const { view, ...page } = pageOf(path, installId);
  return (
    <AreaPage area="Your account" tabs={TABS} current={path} {...page}>
      {view}
    </AreaPage>
  );
}
