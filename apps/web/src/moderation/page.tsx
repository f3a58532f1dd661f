import type { ExtensionName } from '@svc/contracts';
import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { RoleGate } from '../account/passkeys.tsx';
import { AreaPage } from '../account/proof-dialog.tsx';
import { decoded } from '../address.ts';
import { ofStore } from '../extensions/has.ts';
import { partOf } from '../extensions/part.tsx';
import { Instructions } from './lanes.tsx';
import { Queue } from './queue.tsx';
import { ReviewScreen } from './review/screen.tsx';

const Servers = partOf(() => import('../extensions/servers/servers.tsx'), 'Servers');
const Appeals = partOf(() => import('../extensions/appeals/appeals.tsx'), 'Appeals');
const Reports = partOf(() => import('../extensions/reports/reported.tsx'), 'Reports');
const Flagged = partOf(() => import('../extensions/ratings/flagged.tsx'), 'Flagged');

/** The tabs; the review page of a version is not one of them. */
const TABS = ofStore<{ path: string; label: string; extension?: ExtensionName; view: ReactNode }>([
  { path: '/moderation', label: 'Queue', view: <Queue /> },
  { path: '/moderation/instructions', label: 'Instructions', view: <Instructions /> },
  { path: '/moderation/servers', label: 'Servers', extension: 'servers', view: <Servers /> },
  { path: '/moderation/appeals', label: 'Appeals', extension: 'appeals', view: <Appeals /> },
  { path: '/moderation/reports', label: 'Reports', extension: 'reports', view: <Reports /> },
  { path: '/moderation/reviews', label: 'Reviews', extension: 'ratings', view: <Flagged /> },
]);

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
    view: tab?.view ?? <NotFound href="/moderation" label="Back to the queue" />,
  };
}

/** The moderation pages: the queue, the reported reviews, and a review page for each version. */
export function ModerationPage({ path }: { path: string }) {
  const { title, view } = pageOf(path);
  return (
    <AreaPage area="Moderation" title={title} tabs={TABS} current={path}>
      <RoleGate>{view}</RoleGate>
    </AreaPage>
  );
}
