import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { RoleGate } from '../account/passkeys.tsx';
import { AreaPage } from '../account/proof-dialog.tsx';
import { decoded } from '../address.ts';
import { Appeals } from './appeals.tsx';
import { Flagged } from './flagged/flagged.tsx';
import { Instructions, Servers } from './lanes.tsx';
import { Queue } from './queue.tsx';
import { Reports } from './reports.tsx';
import { ReviewScreen } from './review/screen.tsx';

/** The tabs; the review page of a version is not one of them. */
const TABS: readonly { path: string; label: string; view: ReactNode }[] = [
  { path: '/moderation', label: 'Queue', view: <Queue /> },
  { path: '/moderation/instructions', label: 'Instructions', view: <Instructions /> },
  { path: '/moderation/servers', label: 'Servers', view: <Servers /> },
  { path: '/moderation/appeals', label: 'Appeals', view: <Appeals /> },
  { path: '/moderation/reports', label: 'Reports', view: <Reports /> },
  { path: '/moderation/reviews', label: 'Reviews', view: <Flagged /> },
];

const VERSION = /^\/moderation\/apps\/([^/]+)\/versions\/([^/]+)$/;

function viewOf(path: string): ReactNode {
  const [, appId, version] = VERSION.exec(path) ?? [];
  if (appId !== undefined && version !== undefined) {
    return <ReviewScreen key={path} appId={decoded(appId)} version={decoded(version)} />;
  }
  return (
    TABS.find((tab) => tab.path === path)?.view ?? <NotFound href="/moderation" label="Back to the queue" />
  );
}

/** The title of the page: its tab, or its version. */
function titleOf(path: string): string {
  const [, appId, version] = VERSION.exec(path) ?? [];
  if (appId !== undefined && version !== undefined) return `${decoded(appId)} ${decoded(version)}`;
  return TABS.find((tab) => tab.path === path)?.label ?? '';
}

/** The moderation pages: the queue, the reported reviews, and a review page for each version. */
export function ModerationPage({ path }: { path: string }) {
  return (
    <AreaPage area="Moderation" title={titleOf(path)} tabs={TABS} current={path}>
      <RoleGate>{viewOf(path)}</RoleGate>
    </AreaPage>
  );
}
