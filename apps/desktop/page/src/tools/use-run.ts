import type { CallProgress } from '@svc/runtime';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallView } from '../../../src/wire/views.ts';
import { useDesk, useHear, useRefresh } from '../wire/use-desktop.ts';

/** What is to be run. */
export type Run = {
  appId: string;
  tool: string;
  project: string;
  arguments: Record<string, unknown>;
  files: Readonly<Record<string, readonly File[]>>;
};

/** How a run stands. */
export type RunState =
  | { at: 'rest' }
  | { at: 'running'; progress: CallProgress | null }
  | { at: 'ended'; call: CallView }
  | { at: 'failed'; error: Error };

/** Runs a tool: hands its files over first, follows its progress, and can stop it at any time. */
export function useRun() {
  const desk = useDesk();
  const refresh = useRefresh();
  const [state, setState] = useState<RunState>({ at: 'rest' });
  const running = useRef<{ callId: string; stopped: AbortController } | null>(null);

  useHear((event) => {
    if (event.type !== 'call-progress' || event.callId !== running.current?.callId) return;
    setState((now) => (now.at === 'running' ? { at: 'running', progress: event.progress } : now));
  });

  const stop = useCallback(() => {
    const { current } = running;
    running.current = null;
    current?.stopped.abort();
    if (current) void desk.ask('tools.stop', { callId: current.callId }).catch(() => {});
  }, [desk]);
  // A call whose page is left is nobody's: it ends too.
  useEffect(() => stop, [stop]);

  async function run({ files, ...call }: Run): Promise<void> {
    stop();
    const mine = { callId: crypto.randomUUID(), stopped: new AbortController() };
    running.current = mine;
    setState({ at: 'running', progress: null });
    const isMine = () => running.current === mine;
    try {
      const { signal } = mine.stopped;
      const handed = await Promise.all(
        Object.entries(files).map(async ([param, chosen]): Promise<[string, string[]]> => {
          const uploads = await Promise.all(chosen.map((file) => desk.upload(file, signal)));
          return [param, uploads.map(({ id }) => id)];
        }),
      );
      const input = { ...call, callId: mine.callId, files: Object.fromEntries(handed) };
      const ended = await desk.ask('tools.call', input, signal);
      if (isMine()) setState({ at: 'ended', call: ended });
    } catch (error) {
      if (isMine())
        setState({ at: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      if (isMine()) running.current = null;
      void refresh();
    }
  }

  return {
    state,
    run,
    stop() {
      stop();
      setState({ at: 'rest' });
    },
  };
}
