import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import { useHear, useLiveState, useRefresh } from '../wire/use-desktop.ts';

/** How long to wait for more events before what is shown is asked for again, in milliseconds. */
const SETTLE_MS = 150;

/** What happened that may change what is shown. */
const TELLING: readonly DesktopEvent['type'][] = ['runtime', 'folder', 'call-log', 'agents'];

/** Has what is shown asked for again when something happened on this machine, and all of it when events were missed. */
export function useEvents(): void {
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { opened } = useLiveState();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useHear((event) => {
    if (!TELLING.includes(event.type)) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void refresh(), SETTLE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (opened > 1) void queries.invalidateQueries();
  }, [opened, queries]);
}
