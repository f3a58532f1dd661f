import type { CatalogEntry } from '@svc/contracts';
import { CATEGORIES } from '@svc/contracts/vocabulary';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { StoreIcon } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useDesk } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { StoreFault } from './store-fault.tsx';
import { VerifiedBadge } from './verified-badge.tsx';

const MESSAGES = WORDS.store;

type Sort = keyof typeof MESSAGES.sorts;
type Wanted = { q: string; category: string; sort: Sort | '' };

/** Pages of the catalogue, one behind the other. What was found before stays in view while a person types. */
function useCatalog({ q, category, sort }: Wanted) {
  const desk = useDesk();
  const asked = { ...(q && { q }), ...(category && { category }), ...(sort && { sort }) };
  return useInfiniteQuery({
    queryKey: ['store.search', asked],
    queryFn: ({ pageParam, signal }) =>
      desk.ask('store.search', { ...asked, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
}

function AppCard({ app }: { app: CatalogEntry }) {
  const { appId, name, tagline, publisher, iconUrl, installs, rating } = app;
  const figures = [
    rating.count > 0 ? MESSAGES.rating(rating.average, rating.count) : '',
    installs > 0 ? MESSAGES.installs(installs) : '',
  ]
    .filter((figure) => figure !== '')
    .join(' · ');
  return (
    <li className="app-card">
      <StoreIcon name={name} url={iconUrl} />
      <div>
        <h2>
          <a href={hashOf('store', appId)}>{visible(name)}</a>
        </h2>
        <p className="soft">
          {MESSAGES.by(visible(publisher.name))}
          <VerifiedBadge publisher={publisher} />
        </p>
        <p className="tagline">{visible(tagline)}</p>
        {figures === '' ? null : <p className="soft">{figures}</p>}
      </div>
    </li>
  );
}

function Filters({ wanted, want }: { wanted: Wanted; want(changes: Partial<Wanted>): void }) {
  return (
    <search className="filters">
      <label className="field wide">
        {MESSAGES.search}
        <input
          type="search"
          value={wanted.q}
          maxLength={200}
          onChange={(event) => want({ q: event.target.value })}
        />
      </label>
      <label className="field">
        {MESSAGES.category}
        <select value={wanted.category} onChange={(event) => want({ category: event.target.value })}>
          <option value="">{MESSAGES.all}</option>
          {CATEGORIES.map((category) => (
            <option key={category} value={category}>
              {category}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        {MESSAGES.sort}
        <select value={wanted.sort} onChange={(event) => want({ sort: event.target.value as Sort })}>
          <option value="">{wanted.q ? MESSAGES.relevance : MESSAGES.sorts.installs}</option>
          {Object.entries(MESSAGES.sorts)
            .filter(([sort]) => wanted.q || sort !== 'installs')
            .map(([sort, label]) => (
              <option key={sort} value={sort}>
                {label}
              </option>
            ))}
        </select>
      </label>
    </search>
  );
}

/** The catalogue of the store, searched as a person types. */
export function Catalog() {
  const [wanted, setWanted] = useState<Wanted>({ q: '', category: '', sort: '' });
  const q = useDeferredValue(wanted.q.trim());
  const found = useCatalog({ ...wanted, q });
  const apps = found.data?.pages.flatMap((page) => page.apps) ?? [];
  const total = found.data?.pages[0]?.total;
  return (
    <>
      <Heading>{WORDS.pages.store}</Heading>
      <Filters wanted={wanted} want={(changes) => setWanted((before) => ({ ...before, ...changes }))} />
      <p role="status" className="soft">
        {total === undefined
          ? found.error
            ? ''
            : WORDS.loading
          : total === 0
            ? MESSAGES.none
            : MESSAGES.found(total)}
      </p>
      <StoreFault error={found.error} again={() => found.refetch()} />
      <ul className="apps">
        {apps.map((app) => (
          <AppCard key={app.appId} app={app} />
        ))}
      </ul>
      {found.hasNextPage ? (
        <button type="button" disabled={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
          {MESSAGES.more}
        </button>
      ) : null}
    </>
  );
}
