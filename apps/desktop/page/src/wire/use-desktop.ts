import {
  type Query,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import type { CallName, DesktopCalls } from '../../../src/wire/calls.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { Desk } from './ask.ts';
import type { Live, LiveState } from './live.ts';

/** The desktop and what it tells, for all that is shown once a session is there. */
export const Connected = createContext<{ desk: Desk; live: Live } | null>(null);

function useConnected() {
  const connected = useContext(Connected);
  if (!connected) throw new Error('There is no session here.');
  return connected;
}

export const useDesk = (): Desk => useConnected().desk;
export const useLive = (): Live => useConnected().live;

export function useLiveState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, live.state);
}

/** Hears every event of the desktop for as long as it is shown. */
export function useHear(listener: (event: DesktopEvent) => void): void {
  const live = useLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => live.hear((event) => latest.current(event)), [live]);
}

/** What the desktop is asked for, and asked for again when something happened that may have changed it. */
export function useDesktopQuery<Name extends CallName>(
  name: Name,
  input: DesktopCalls[Name]['in'],
): UseQueryResult<DesktopCalls[Name]['out'], Error> {
  const desk = useDesk();
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => desk.ask(name, input, signal),
  });
}

/** What is asked of a store over the network: nothing that happens on this machine changes it. */
const isOfStore = (key: readonly unknown[]): boolean => String(key[0]).startsWith('store.');

/** Bytes under one path and edition stay what they are, or are deleted. */
const areKept = ({ queryKey, state }: Query): boolean => queryKey[0] === 'bytes' && state.data !== undefined;

/** Has all that is on this machine asked for again. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () =>
    queries.invalidateQueries({ predicate: (query) => !isOfStore(query.queryKey) && !areKept(query) });
}

/** Something that the desktop is asked to fetch when the user says so: it changes nothing on this machine. */
export function useFetch<Name extends CallName>(name: Name) {
  const desk = useDesk();
  return useMutation<DesktopCalls[Name]['out'], Error, DesktopCalls[Name]['in']>({
    mutationFn: (input) => desk.ask(name, input),
  });
}

/** Something that the desktop is asked to do; what is shown of this machine is asked for again once it is done. */
export function useDesktopMutation<Name extends CallName>(name: Name) {
  const desk = useDesk();
  const refresh = useRefresh();
  return useMutation<DesktopCalls[Name]['out'], Error, DesktopCalls[Name]['in']>({
    mutationFn: (input) => desk.ask(name, input),
    onSettled: () => refresh(),
  });
}
