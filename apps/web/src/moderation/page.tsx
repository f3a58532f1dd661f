import { TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import { Loaded, NothingHere } from '../account/parts.tsx';
import { SignedIn, useMe } from '../account/use-store.ts';
import { useTitle } from '../title.ts';
import { Flagged } from './flagged/flagged.tsx';
import { Queue } from './queue.tsx';
import { ReviewScreen } from './review/screen.tsx';
import { WORDS } from './words.ts';

type Place = { path: string; label: string };

/** The pages of the desk beside those of the versions. */
const TABS: readonly (Place & { view: ReactNode })[] = [
  { path: '/moderation', label: WORDS.tabs.queue, view: <Queue /> },
  { path: '/moderation/reviews', label: WORDS.tabs.reviews, view: <Flagged /> },
];

const VERSION = /^\/moderation\/apps\/([^/]+)\/versions\/([^/]+)$/;

function viewOf(path: string): ReactNode {
  const [, appId, version] = VERSION.exec(path) ?? [];
  if (appId !== undefined && version !== undefined) {
    return <ReviewScreen appId={decodeURIComponent(appId)} version={decodeURIComponent(version)} />;
  }
  return (
    TABS.find((tab) => tab.path === path)?.view ?? <NothingHere href="/moderation" label={WORDS.toQueue} />
  );
}

/** What the page shows: a list, or a version. */
function titleOf(path: string): string {
  const [, appId, version] = VERSION.exec(path) ?? [];
  if (appId !== undefined && version !== undefined)
    return `${decodeURIComponent(appId)} ${decodeURIComponent(version)}`;
  return TABS.find((tab) => tab.path === path)?.label ?? '';
}

/** What moderators see: the queue, and one screen for each version. */
export function ModerationPage({ path }: { path: string }) {
  const me = useMe();
  const place = path.replace(/(?<!\/)\/+$/, '');
  useTitle(titleOf(place));
  return (
    <Loaded query={me} page={WORDS.desk}>
      {(data) => (
        <SignedIn value={data}>
          <TabNav label={WORDS.desk} tabs={TABS} current={place} />
          <main id="content">{viewOf(place)}</main>
        </SignedIn>
      )}
    </Loaded>
  );
}
