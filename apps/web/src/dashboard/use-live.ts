import type { VersionState } from '@svc/contracts';
import type { ApiRequest } from '@svc/contracts/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { useRead } from '../account/use-store.ts';

const FIRST_MS = 1_500;
const GROWTH = 1.4;
const MAX_MS = 30_000;

/** The delay before the next poll, in milliseconds: exponential backoff up to 30 seconds. */
export const pollDelay = (polls: number): number => Math.min(MAX_MS, FIRST_MS * GROWTH ** polls);

/** Whether a version will change state without action by its publisher. */
export const isMoving = (state: VersionState): boolean =>
  state === 'submitted' || state === 'checking' || state === 'in_review' || state === 'approved';

/**
 * Sends a request that reads, and polls it while `isAboutToChange` holds: less often over time, and not while the page is in
 * the background.
 */
export const useLive = <T>(request: ApiRequest<T>, isAboutToChange: (data: T) => boolean) =>
  useRead(request, {
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && isAboutToChange(data) ? pollDelay(dataUpdateCount) : false,
  });

/**
 * The same as `useLive` for a paged list.
 * @param pageAt builds the request for the page at a cursor; undefined for the first one
 */
export const usePages = <T extends { nextCursor: string | null }>(
  pageAt: (cursor?: string) => ApiRequest<T>,
  isAboutToChange: (page: T) => boolean = () => false,
) =>
  useInfiniteQuery({
    queryKey: [pageAt().path],
    queryFn: ({ pageParam }) => read(pageAt(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: T) => nextCursor,
    // The old rows stay until the new order is loaded: the heading that was pressed keeps the focus.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.pages.some(isAboutToChange) ? pollDelay(dataUpdateCount) : false,
  });
