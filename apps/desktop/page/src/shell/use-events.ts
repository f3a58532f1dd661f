import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import { useDesktopEvents, useLiveState, useRefresh } from '../wire/use-desktop.ts';

/** How long to collect events before queries are refetched, in milliseconds. */
const SETTLE_MS = 150;

/** Events after which queries are refetched. */
const REFRESHING: readonly DesktopEvent['type'][] = [
  'runtime',
  'folder',
  'call-log',
  'agents',
  'store-session',
];

/** Refetches the queries about this computer after events, and all queries after a lost connection. */
export function useEvents(): void {
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { opened } = useLiveState();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useDesktopEvents((event) => {
    if (!REFRESHING.includes(event.type)) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void refresh(), SETTLE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (opened > 1) void queries.invalidateQueries();
  }, [opened, queries]);
}
