import { RuntimeError } from '../platform/runtime-error.ts';

/** Maximum number of concurrent calls of an app, including those that wait for the user. */
const MAX_CALLS = 16;

/** Creates the limit of concurrent calls. */
export function createAdmission() {
  const live = new Map<string, Map<AbortController, string | null>>();
  return {
    /**
     * Runs work of an app. It is aborted when the app is closed or the caller's signal is aborted.
     * @throws RuntimeError `too-many`; the reason that the app was closed with
     */
    async run<T>(
      { appId, project }: { appId: string; project: string | null },
      signal: AbortSignal | undefined,
      work: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> {
      const running = live.get(appId) ?? new Map<AbortController, string | null>();
      if (running.size >= MAX_CALLS) {
        throw new RuntimeError('too-many', `The app already has ${MAX_CALLS} calls in progress.`);
      }
      const end = new AbortController();
      live.set(appId, running.set(end, project));
      const either = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
      try {
        either.throwIfAborted();
        return await work(either);
      } finally {
        running.delete(end);
        if (running.size === 0) live.delete(appId);
      }
    },
    /** Aborts all work of an app, or only that of one project. */
    close(appId: string, reason: RuntimeError, project: string | null = null) {
      for (const [end, own] of live.get(appId) ?? []) {
        if (project === null || own === project) end.abort(reason);
      }
    },
    /** Aborts all work. */
    stop(reason: RuntimeError) {
      for (const end of [...live.values()].flatMap((running) => [...running.keys()])) end.abort(reason);
    },
  };
}

/** Limits the concurrent calls of each app, and aborts them. */
export type Admission = ReturnType<typeof createAdmission>;
