import type { ReactNode } from 'react';
import { AppView } from '../dashboard/app-view.tsx';
import { useTitle } from '../title.ts';
import { Loaded } from './parts.tsx';
import { PublisherView } from './publisher.tsx';
import { Publishers } from './publishers.tsx';
import { RateView } from './rate/rate-view.tsx';
import { MyTokens } from './tokens.tsx';
import { SignedIn, useMe } from './use-store.ts';
import { You } from './you.tsx';

const TABS = [
  { path: '/account', label: 'You' },
  { path: '/account/publishers', label: 'Publishers' },
  { path: '/account/tokens', label: 'Tokens' },
] as const;

function Tabs({ path }: { path: string }) {
  return (
    <nav className="tabs" aria-label="Your account">
      {TABS.map((tab) => (
        <a
          key={tab.path}
          href={tab.path}
          {...((tab.path === '/account' ? path === tab.path : path.startsWith(tab.path)) && {
            'aria-current': 'page' as const,
          })}
        >
          {tab.label}
        </a>
      ))}
    </nav>
  );
}

/** What the page shows, in the tab of the browser: an app, a publisher, or a place of the account. */
function titleOf(path: string): string {
  if (path === '/account') return '';
  const label = TABS.find((tab) => tab.path === path)?.label;
  return (
    label ??
    path
      .split('/')
      .filter((part) => part !== 'review')
      .at(-1) ??
    ''
  );
}

const REVIEW = /^\/account\/apps\/([a-z0-9.-]+)\/review$/;

function viewOf(path: string, installId: string | null): ReactNode {
  const [, rated] = REVIEW.exec(path) ?? [];
  if (rated !== undefined) return <RateView appId={rated} named={installId} />;
  const [, slug, appId] = /^\/account\/publishers\/([a-z0-9-]+)(?:\/apps\/([a-z0-9.-]+))?$/.exec(path) ?? [];
  if (slug !== undefined && appId !== undefined) return <AppView slug={slug} appId={appId} />;
  if (slug !== undefined) return <PublisherView slug={slug} />;
  if (path === '/account/publishers') return <Publishers />;
  if (path === '/account/tokens') return <MyTokens />;
  if (path === '/account') return <You />;
  return (
    <p>
      There is nothing at this address. <a href="/account">Your account</a>
    </p>
  );
}

/**
 * What a person who is signed in sees of themselves, their publishers, their tokens and their reviews.
 * @param installId the installation of theirs that a client opened the page with
 */
export function AccountPage({ path, installId }: { path: string; installId: string | null }) {
  const me = useMe();
  const place = path.replace(/(?<!\/)\/+$/, '');
  useTitle(titleOf(place));
  return (
    <Loaded query={me}>
      {(data) => (
        <SignedIn value={data}>
          <Tabs path={place} />
          <main id="content">{viewOf(place, installId)}</main>
        </SignedIn>
      )}
    </Loaded>
  );
}
