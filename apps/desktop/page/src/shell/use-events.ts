import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useHear, useLiveState, useRefresh } from '../wire/use-desktop.ts';

/** How long to wait for more events before what is shown is asked for anew, in milliseconds. */
const SETTLE_MS = 150;

/** Has what is shown asked for anew when something happened on this machine, and all of it when events were missed. */
export function useEvents(): void {
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { opened } = useLiveState();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useHear((event) => {
    if (event.type !== 'runtime' && event.type !== 'folder') return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void refresh(), SETTLE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (opened > 1) void queries.invalidateQueries();
  }, [opened, queries]);
}
