import { Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { NotFound } from '../account/parts.tsx';
import { RoleGate } from '../account/passkeys.tsx';
import { SignedInPage } from '../account/proof-dialog.tsx';
import { useMe } from '../account/use-store.ts';
import { decoded } from '../address.ts';
import { useTitle } from '../title.ts';
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
  const me = useMe();
  useTitle(titleOf(path), 'Moderation');
  return (
    <>
      <TabNav label="Moderation" tabs={TABS} current={path} />
      <main id="content">
        <Loaded query={me} page="Moderation">
          {(data) => (
            <SignedInPage me={data}>
              <RoleGate>{viewOf(path)}</RoleGate>
            </SignedInPage>
          )}
        </Loaded>
      </main>
    </>
  );
}
