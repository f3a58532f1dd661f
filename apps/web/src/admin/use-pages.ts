import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';

/** Query parameters of a list; empty ones are left out. */
export type Params = Readonly<Record<string, string>>;

type Page = { nextCursor: string | null };

const addressOf = (path: string, params: Params, cursor: string | null): string => {
  const given = Object.entries(params).filter(([, value]) => value !== '');
  return `${path}?${new URLSearchParams([...given, ...(cursor === null ? [] : [['cursor', cursor]])])}`;
};

/** The loaded pages of a list. `more` loads the next one; null when there is none. */
export type Pages<P> = {
  data: P[] | undefined;
  error: Error | null;
  refetch(): unknown;
  more: (() => void) | null;
};

/** Reads a paged list. */
export function usePages<P extends Page>(path: string, params: Params = {}): Pages<P> {
  const pages = useInfiniteQuery({
    queryKey: [path, params],
    queryFn: ({ pageParam }) => read<P>(addressOf(path, params, pageParam)),
    initialPageParam: null as string | null,
    getNextPageParam: (last: P) => last.nextCursor,
    // The old rows stay until the new order is loaded: the heading that was pressed keeps the focus.
    placeholderData: keepPreviousData,
  });
  return {
    data: pages.data?.pages,
    error: pages.error,
    refetch: pages.refetch,
    more: pages.hasNextPage ? () => void pages.fetchNextPage() : null,
  };
}
