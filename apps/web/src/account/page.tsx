import type { Me } from '@svc/contracts';
import type { ReactNode } from 'react';
import { Loaded } from './parts.tsx';
import { PublisherView } from './publisher.tsx';
import { Publishers } from './publishers.tsx';
import { MyTokens } from './tokens.tsx';
import { SignedIn, useMe } from './use-store.ts';
import { You } from './you.tsx';

const TABS = [
  { path: '/account', label: 'You' },
  { path: '/account/publishers', label: 'Publishers' },
  { path: '/account/tokens', label: 'Tokens' },
] as const;

function Tabs({ path, me }: { path: string; me: Me }) {
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
      <span className="who">{me.name}</span>
      <form method="post" action="/sign-out">
        <input type="hidden" name="csrf" value={me.csrf} />
        <button type="submit">Sign out</button>
      </form>
    </nav>
  );
}

function viewOf(path: string): ReactNode {
  const slug = /^\/account\/publishers\/([a-z0-9-]+)$/.exec(path)?.[1];
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

/** What somebody who is signed in sees of themselves, their publishers and their tokens. */
export function AccountPage({ path }: { path: string }) {
  const me = useMe();
  const place = path.replace(/\/+$/, '');
  return (
    <Loaded query={me}>
      {(data) => (
        <SignedIn value={data}>
          <Tabs path={place} me={data} />
          <main>{viewOf(place)}</main>
        </SignedIn>
      )}
    </Loaded>
  );
}
