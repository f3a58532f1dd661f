import type { QueueEntry } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read } from '../account/api.ts';

const KEY = 'svc-desk-search';

/** The filters that this tab last showed the queue with, as a query string. */
export const queueSearch = (): string => window.sessionStorage.getItem(KEY) ?? '';

/** Remembers the filters of the queue for the review pages. */
export const keepQueueSearch = (search: string): void => window.sessionStorage.setItem(KEY, search);

const LIST = 'svc-desk-list';

/** Remembers the list that this tab last showed: a review page leads back to it. */
export const keepList = (path: string): void => window.sessionStorage.setItem(LIST, path);

/** The list that this tab last showed. */
export const listPath = (): string => window.sessionStorage.getItem(LIST) ?? '/moderation';

/** The filters of the queue, as in the query of the page. */
export type Filter = Readonly<Record<string, string>>;

/** The filters of the queue that the API has. */
const NAMES = [
  'reason',
  'publisher',
  'appId',
  'lockedBy',
  'overdue',
  'superseded',
  'changesRequested',
  'assigned',
] as const;

/** Reads the filters from the URL of the page, so that a filtered queue can be shared as a link. */
export function readFilter(search = window.location.search): Filter {
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    NAMES.flatMap((name): [string, string][] => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** A queue entry without its large fields: ten thousand entries must fit into memory. */
export type Row = Omit<QueueEntry, 'permissionDiff' | 'issues' | 'sha256'> & {
  widens: boolean;
  isFirst: boolean;
  warnings: number;
};

const rowOf = ({ permissionDiff, issues, sha256: _sha256, ...entry }: QueueEntry): Row => ({
  ...entry,
  isFirst: permissionDiff.baseVersion === null,
  widens: permissionDiff.baseVersion !== null && permissionDiff.widens,
  warnings: issues.length,
});

type Page = { rows: Row[]; nextCursor: string | null; total: number };

/** Reads a page of the queue. */
export async function pageAt(filter: Filter, cursor: string | null): Promise<Page> {
  const query = { ...filter, cursor: cursor ?? undefined };
  const { entries, nextCursor, total } = await read(apiRequest('GET /api/moderation/queue', { query }));
  return { rows: entries.map(rowOf), nextCursor, total };
}

/** The loaded part of the queue. */
export function useQueue(filter: Filter) {
  const queries = useQueryClient();
  const queryKey = ['queue', filter];
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => pageAt(filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page) => last.nextCursor,
    // A refetch loads every page again: only do it on request.
    staleTime: Number.POSITIVE_INFINITY,
    // Decisions of other pages of the application change it: it is read from its beginning whenever it is shown.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data } = pages;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const known = data?.pages.at(-1)?.total ?? 0;
  return {
    rows,
    /** Number of rows, loaded or not. After the last page it is exact: versions decided since the first page are gone. */
    total: pages.hasNextPage ? Math.max(known, rows.length) : rows.length,
    isPending: pages.isPending,
    error: pages.error,
    /** Loads the next page, unless one is loading or there is none. */
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage && !pages.isFetchNextPageError)
        void pages.fetchNextPage({ cancelRefetch: false });
    },
    retry: () => (data ? pages.fetchNextPage() : pages.refetch()),
    reload: () => queries.resetQueries({ queryKey }),
  };
}
