import type { ExtensionName } from '@svc/contracts';
import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { RoleGate } from '../account/passkeys.tsx';
import { AreaPage } from '../account/proof-dialog.tsx';
import { decoded } from '../address.ts';
import { readAppeals } from '../extensions/appeals/cases.ts';
import { ofStore } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import { readFlagged } from '../extensions/ratings/cases.ts';
import { readReports } from '../extensions/reports/cases.ts';
import { readServers } from '../extensions/servers/cases.ts';
import { Inbox, type Kind } from './inbox.tsx';
import { readFilter } from './use-queue.ts';
import { readInstructions, readVersions } from './version-cases.ts';

const Queue = partOf(() => import('./queue.tsx'), 'Queue');
const Instructions = partOf(() => import('./lanes.tsx'), 'Instructions');
const ReviewScreen = partOf(() => import('./review/screen.tsx'), 'ReviewScreen');

const Servers = partOf(() => import('../extensions/servers/servers.tsx'), 'Servers');
const Appeals = partOf(() => import('../extensions/appeals/appeals.tsx'), 'Appeals');
const Reports = partOf(() => import('../extensions/reports/reported.tsx'), 'Reports');
const History = partOf(() => import('../extensions/cases/history.tsx'), 'History');
const Flagged = partOf(() => import('../extensions/ratings/flagged.tsx'), 'Flagged');

/** The kinds of cases, each with the page of those of the kind alone. */
const KINDS = ofStore<Kind>([
  {
    path: '/moderation/versions',
    label: 'Versions',
    one: 'version',
    view: <Queue />,
    read: readVersions,
  },
  {
    path: '/moderation/instructions',
    label: 'Instructions',
    one: 'instruction change',
    view: <Instructions />,
    read: readInstructions,
  },
  {
    path: '/moderation/servers',
    label: 'Servers',
    one: 'server',
    extension: 'servers',
    view: <Servers />,
    read: readServers,
  },
  {
    path: '/moderation/appeals',
    label: 'Appeals',
    one: 'appeal',
    extension: 'appeals',
    view: <Appeals />,
    read: readAppeals,
  },
  {
    path: '/moderation/reports',
    label: 'Reports',
    one: 'reported version',
    extension: 'reports',
    view: <Reports />,
    read: readReports,
  },
  {
    path: '/moderation/reviews',
    label: 'Reviews',
    one: 'review',
    extension: 'ratings',
    view: <Flagged />,
    read: readFlagged,
  },
]);

const INBOX = { path: '/moderation', label: 'Inbox', view: <Inbox kinds={KINDS} /> };

/** The tabs; the review page of a version is not one of them. */
const TABS = [
  INBOX,
  ...KINDS,
  ...ofStore<{ path: string; label: string; extension: ExtensionName; view: ReactNode }>([
    { path: '/moderation/history', label: 'History', extension: 'cases', view: <History /> },
  ]),
];

const VERSION = /^\/moderation\/apps\/([^/]+)\/versions\/([^/]+)$/;

/** The view of a path, and its title: that of its tab, or its version. */
function pageOf(path: string): { title: string; view: ReactNode } {
  const [appId, version] = VERSION.exec(path)?.slice(1).map(decoded) ?? [];
  if (appId !== undefined && version !== undefined)
    return {
      title: `${appId} ${version}`,
      view: <ReviewScreen key={path} appId={appId} version={version} />,
    };
  const tab = TABS.find((one) => one.path === path);
  return {
    title: tab?.label ?? '',
    view: tab?.view ?? <NotFound href="/moderation" label="Back to the inbox" />,
  };
}

/** Filtered versions were at the address of the inbox once. */
const isOfVersions = (path: string): boolean => path === INBOX.path && Object.keys(readFilter()).length > 0;

/** The moderation pages: the inbox, each kind of case, and a review page for each version. */
export function ModerationPage({ path: asked }: { path: string }) {
  const path = isOfVersions(asked) ? '/moderation/versions' : asked;
  const { title, view } = pageOf(path);
  return (
    <AreaPage area="Moderation" title={title} tabs={TABS} current={path}>
      <RoleGate>{view}</RoleGate>
    </AreaPage>
  );
}
