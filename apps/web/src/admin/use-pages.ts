import type { ApiRequest } from '@svc/contracts/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';

type Page = { nextCursor: string | null };

/** The parameters that are not empty. */
export const filled = <Name extends string>(
  params: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;

/** The loaded pages of a list. `more` loads the next one; null when there is none. */
export type Pages<P> = {
  data: P[] | undefined;
  error: Error | null;
  refetch(): unknown;
  more: (() => void) | null;
};

/**
 * Reads a paged list.
 * @param pageAt builds the request for the page at a cursor; undefined for the first one
 */
export function usePages<P extends Page>(pageAt: (cursor?: string) => ApiRequest<P>): Pages<P> {
  const pages = useInfiniteQuery({
    queryKey: [pageAt().path],
    queryFn: ({ pageParam }) => read(pageAt(pageParam)),
    initialPageParam: undefined as string | undefined,
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
