import type { CallProgress } from '@svc/runtime';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallView } from '../../../src/wire/views.ts';
import { useDesktopClient, useDesktopEvents, useRefresh } from '../wire/use-desktop.ts';

export type Run = {
  appId: string;
  tool: string;
  project: string;
  arguments: Record<string, unknown>;
  files: Readonly<Record<string, readonly File[]>>;
};

export type RunState =
  | { at: 'idle' }
  | { at: 'running'; progress: CallProgress | null }
  | { at: 'ended'; call: CallView }
  | { at: 'failed'; error: Error };

/** Runs a tool: uploads its files, follows its progress, and can be stopped at any time. */
export function useRun() {
  const desktop = useDesktopClient();
  const refresh = useRefresh();
  const [state, setState] = useState<RunState>({ at: 'idle' });
  const running = useRef<{ callId: string; stopped: AbortController } | null>(null);

  useDesktopEvents((event) => {
    if (event.type !== 'call-progress' || event.callId !== running.current?.callId) return;
    setState((now) => (now.at === 'running' ? { at: 'running', progress: event.progress } : now));
  });

  const stop = useCallback(() => {
    const { current } = running;
    running.current = null;
    current?.stopped.abort();
    if (current) void desktop.request('tools.stop', { callId: current.callId }).catch(() => {});
  }, [desktop]);
  // Leaving the page stops the call.
  useEffect(() => stop, [stop]);

  async function run({ files, ...call }: Run): Promise<void> {
    stop();
    const own = { callId: crypto.randomUUID(), stopped: new AbortController() };
    running.current = own;
    setState({ at: 'running', progress: null });
    const isCurrent = () => running.current === own;
    try {
      const { signal } = own.stopped;
      const uploaded = await Promise.all(
        Object.entries(files).map(async ([param, chosen]): Promise<[string, string[]]> => {
          const uploads = await Promise.all(chosen.map((file) => desktop.upload(file, signal)));
          return [param, uploads.map(({ id }) => id)];
        }),
      );
      const input = { ...call, callId: own.callId, files: Object.fromEntries(uploaded) };
      const ended = await desktop.request('tools.call', input, signal);
      if (isCurrent()) setState({ at: 'ended', call: ended });
    } catch (error) {
      if (isCurrent())
        setState({ at: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      if (isCurrent()) running.current = null;
      void refresh();
    }
  }

  return {
    state,
    run,
    stop() {
      stop();
      setState({ at: 'idle' });
    },
  };
}
