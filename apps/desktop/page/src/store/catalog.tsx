import type { CatalogEntry, Category } from '@svc/contracts';
import { CATEGORIES } from '@svc/contracts/vocabulary';
import { verdictOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { Button, count, Options, Verdict } from '@svc/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { StoreIcon, StoreScreenshot } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useDesktopClient } from '../wire/use-desktop.ts';
import { StoreFault } from './store-fault.tsx';
import { useFeatured } from './use-featured.ts';

const SORTS = {
  installs: 'Most installed',
  rating: 'Best rated',
  updated: 'Recently updated',
  new: 'Newest',
  name: 'Name',
};

type Sort = keyof typeof SORTS;
type Query = { q: string; category: Category | ''; sort: Sort | '' };

/** Pages of the catalogue. Earlier results stay visible while the user types. */
function useCatalog({ q, category, sort }: Query) {
  const desktop = useDesktopClient();
  const query = { ...(q && { q }), ...(category && { category }), ...(sort && { sort }) };
  return useInfiniteQuery({
    // Not the key of `useDesktopQuery`, which keeps one page under it.
    queryKey: ['store.search', 'pages', query],
    queryFn: ({ pageParam, signal }) =>
      desktop.request('store.search', { ...query, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
}

type CardProps = {
  app: CatalogEntry;
  heading: 'h2' | 'h3';
  className?: string;
  /** Above the rest. */
  picture?: ReactNode;
};

function AppCard({ app, heading: Name, className = '', picture }: CardProps) {
  const { appId, name, tagline, publisher, iconUrl, installs, rating } = app;
  const figures = [
    rating.count > 0 ? `★ ${rating.average.toFixed(1)} (${rating.count})` : '',
    installs > 0 ? count(installs, 'install') : '',
  ]
    .filter((figure) => figure !== '')
    .join(' · ');
  return (
    <li className={`app-card covered ${className}`.trim()}>
      {picture}
      <StoreIcon name={name} url={iconUrl} />
      <div>
        <Name>
          <a href={hashOf('store', appId)}>{visible(name)}</a>
        </Name>
        <p className="soft">{`by ${visible(publisher.name)}`}</p>
        <p className="tagline">{visible(tagline)}</p>
        {figures === '' ? null : <p className="soft">{figures}</p>}
        <p>
          <Verdict of={verdictOf(app)} />
        </p>
      </div>
    </li>
  );
}

/** The featured apps: the first with a picture is large, the others beside it. */
function Featured({ apps }: { apps: readonly CatalogEntry[] }) {
  if (apps.length === 0) return null;
  const hero = apps.find(({ screenshots }) => screenshots.length > 0);
  return (
    <section aria-labelledby="featured">
      <h2 id="featured">Featured</h2>
      <ul className="apps featured-apps">
        {hero ? (
          <AppCard
            app={hero}
            heading="h3"
            className="hero-app"
            picture={<StoreScreenshot url={hero.screenshots[0] ?? ''} alt="" className="hero-picture" />}
          />
        ) : null}
        {apps.map((app) => (app === hero ? null : <AppCard key={app.appId} app={app} heading="h3" />))}
      </ul>
    </section>
  );
}

function Filters({ query, change }: { query: Query; change(changes: Partial<Query>): void }) {
  return (
    <search>
      <div className="cluster find">
        <input
          type="search"
          aria-label="Search apps"
          placeholder="Search apps"
          value={query.q}
          maxLength={200}
          onChange={(event) => change({ q: event.target.value })}
        />
        <select
          aria-label="Sort by"
          value={query.sort}
          onChange={(event) => change({ sort: event.target.value as Sort })}
        >
          <option value="">{query.q ? 'Best match' : SORTS.installs}</option>
          <Options of={Object.entries(SORTS).filter(([sort]) => query.q || sort !== 'installs')} />
        </select>
      </div>
      <fieldset className="pills strip" aria-label="Category">
        {(['', ...CATEGORIES] as const).map((category) => (
          <label key={category}>
            <input
              type="radio"
              name="category"
              checked={query.category === category}
              onChange={() => change({ category })}
            />
            {category === '' ? 'All' : category.charAt(0).toUpperCase() + category.slice(1)}
          </label>
        ))}
      </fieldset>
    </search>
  );
}

/** The catalogue of the store, searched as the user types. */
export function Catalog() {
  const [query, setQuery] = useState<Query>({ q: '', category: '', sort: '' });
  const q = useDeferredValue(query.q.trim());
  const results = useCatalog({ ...query, q });
  const first = useFeatured();
  const featured = q === '' && query.category === '' && query.sort === '' ? first : [];
  // Nothing moves when the featured apps arrive: the list waits for them.
  const pages = featured && results.data?.pages;
  const shown = new Set(featured?.map(({ appId }) => appId));
  const apps = pages?.flatMap((page) => page.apps).filter(({ appId }) => !shown.has(appId)) ?? [];
  const total = pages?.[0]?.total;
  return (
    <>
      <Heading>Store</Heading>
      <Filters query={query} change={(changes) => setQuery((before) => ({ ...before, ...changes }))} />
      <Featured apps={pages ? featured : []} />
      <p role="status" className="soft">
        {total === undefined
          ? results.error
            ? ''
            : 'Loading…'
          : total === 0
            ? q === '' && query.category === ''
              ? 'This store has no apps yet.'
              : 'No apps match. Try fewer words or another category.'
            : count(total, 'app')}
      </p>
      <StoreFault error={results.error} retry={() => results.refetch()} />
      <ul className="apps">
        {apps.map((app) => (
          <AppCard key={app.appId} app={app} heading="h2" />
        ))}
      </ul>
      {results.hasNextPage ? (
        <Button
          label="Show more"
          disabled={results.isFetchingNextPage}
          onClick={() => results.fetchNextPage()}
        />
      ) : null}
    </>
  );
}
