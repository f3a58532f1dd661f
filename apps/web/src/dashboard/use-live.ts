import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { pollDelay } from './poll.ts';

/**
 * What the store is asked for by its path, and again while it is about to change; less often the longer that takes, and
 * not while nobody looks.
 */
export const useLive = <T>(path: string, isAboutToChange: (data: T) => boolean) =>
  useQuery({
    queryKey: [path],
    queryFn: () => read<T>(path),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && isAboutToChange(data) ? pollDelay(dataUpdateCount) : false,
  });

/** A list that comes in pages, as `useLive`. */
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
