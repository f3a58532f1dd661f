import {
  type Query,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { CallName, DesktopCalls } from '../../../src/wire/calls.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import { type DesktopClient, RefusedError } from './desktop-client.ts';
import type { Live, LiveState } from './live.ts';

/** The API client and the live state of the current session. */
export const Connected = createContext<{ desktop: DesktopClient; live: Live } | null>(null);

function useConnected() {
  const connected = useContext(Connected);
  if (!connected) throw new Error('There is no session here.');
  return connected;
}

export const useDesktopClient = (): DesktopClient => useConnected().desktop;
export const useLive = (): Live => useConnected().live;

export function useLiveState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, live.state);
}

/** Calls the listener for each event of the desktop while the component is mounted. */
export function useDesktopEvents(listener: (event: DesktopEvent) => void): void {
  const live = useLive();
  const onEvent = useEffectEvent(listener);
  useEffect(() => live.listen((event) => onEvent(event)), [live]);
}

export const isStoreAway = (error: Error | null): boolean =>
  error instanceof RefusedError && error.code === 'store-unreachable';

/** Queries the desktop. The query is refetched after events that may have changed the result. */
export function useDesktopQuery<Name extends CallName>(
  name: Name,
  input: DesktopCalls[Name]['in'],
  options: Omit<UseQueryOptions<DesktopCalls[Name]['out']>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<DesktopCalls[Name]['out'], Error> {
  const desktop = useDesktopClient();
  return useQuery({
    ...options,
    queryKey: [name, input],
    queryFn: ({ signal }) => desktop.request(name, input, signal),
  });
}

/** The same query for each of some inputs. The answers are in the order of these. */
export function useDesktopQueries<Name extends CallName>(
  name: Name,
  inputs: readonly DesktopCalls[Name]['in'][],
): UseQueryResult<DesktopCalls[Name]['out'], Error>[] {
  const desktop = useDesktopClient();
  return useQueries({
    queries: inputs.map((input) => ({
      queryKey: [name, input],
      queryFn: ({ signal }: { signal: AbortSignal }) => desktop.request(name, input, signal),
    })),
  });
}

/** Queries of the store over the network. No event on this computer changes them. */
const isOfStore = (key: readonly unknown[]): boolean => String(key[0]).startsWith('store.');

/** Bytes under one path and edition never change. */
const isCachedBytes = ({ queryKey, state }: Query): boolean =>
  queryKey[0] === 'bytes' && state.data !== undefined;

/** Returns a function that refetches all queries about this computer. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () =>
    queries.invalidateQueries({ predicate: (query) => !isOfStore(query.queryKey) && !isCachedBytes(query) });
}

/** A read that the user starts. It changes nothing on this computer, so no query is refetched. */
export function useFetch<Name extends CallName>(name: Name) {
  const desktop = useDesktopClient();
  return useMutation<DesktopCalls[Name]['out'], Error, DesktopCalls[Name]['in']>({
    mutationFn: (input) => desktop.request(name, input),
  });
}

/** A change on the desktop. All queries about this computer are refetched afterwards. */
export function useDesktopMutation<Name extends CallName>(name: Name) {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  return useMutation<DesktopCalls[Name]['out'], Error, DesktopCalls[Name]['in']>({
    mutationFn: (input) => desktop.request(name, input),
    onSettled: refresh,
  });
}
