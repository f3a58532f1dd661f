import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';

/** What a list is narrowed by; what is empty is left out. */
export type Narrowed = Readonly<Record<string, string>>;

type Page = { nextCursor: string | null };

const addressOf = (path: string, narrowed: Narrowed, cursor: string | null): string => {
  const given = Object.entries(narrowed).filter(([, value]) => value !== '');
  return `${path}?${new URLSearchParams([...given, ...(cursor === null ? [] : [['cursor', cursor]])])}`;
};

/** The pages of a list that are there, and what asks for the next one; null when there is none. */
export type Pages<P> = {
  data: P[] | undefined;
  error: Error | null;
  refetch(): unknown;
  more: (() => void) | null;
};

/** A list that comes in pages. */
export function usePages<P extends Page>(path: string, narrowed: Narrowed = {}): Pages<P> {
  const pages = useInfiniteQuery({
    queryKey: [path, narrowed],
    queryFn: ({ pageParam }) => read<P>(addressOf(path, narrowed, pageParam)),
    initialPageParam: null as string | null,
    getNextPageParam: (last: P) => last.nextCursor,
    // What is sorted otherwise stays until it is there: the heading that was pressed keeps the focus.
    placeholderData: keepPreviousData,
  });
  return {
    data: pages.data?.pages,
    error: pages.error,
    refetch: pages.refetch,
    more: pages.hasNextPage ? () => void pages.fetchNextPage() : null,
  };
}
