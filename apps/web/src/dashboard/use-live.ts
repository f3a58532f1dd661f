import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { pollDelay } from './poll.ts';

/**
 * Reads a path of the store, and polls it while `isAboutToChange` holds: less often over time, and not while the page is in
 * the background.
 */
export const useLive = <T>(path: string, isAboutToChange: (data: T) => boolean) =>
  useQuery({
    queryKey: [path],
    queryFn: () => read<T>(path),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && isAboutToChange(data) ? pollDelay(dataUpdateCount) : false,
  });

/** The same as `useLive` for a paged list. */
export const useLivePages = <T extends { nextCursor: string | null }>(
  path: string,
  isAboutToChange: (page: T) => boolean,
) =>
  useInfiniteQuery({
    queryKey: [path],
    queryFn: ({ pageParam }) =>
      read<T>(pageParam === null ? path : `${path}?${new URLSearchParams({ cursor: pageParam })}`),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: T) => nextCursor,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.pages.some(isAboutToChange) ? pollDelay(dataUpdateCount) : false,
  });
