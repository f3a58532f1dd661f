import { RuntimeError } from '../platform/runtime-error.ts';

/** Calls of one app that run at once, those that wait for a person among them. */
const MAX_CALLS = 16;

/** Who may run at once, and what ends those who do. */
export type Admission = {
  /**
   * Runs work of an app, which ends when the app is closed or the caller gives up.
   * @throws RuntimeError `too-many`; what the app was closed with
   */
  run<T>(
    whose: { appId: string; project: string | null },
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Ends all that runs for an app; of one project alone, where that is given. */
  close(appId: string, reason: RuntimeError, project?: string | null): void;
  /** Ends all that runs. */
  stop(reason: RuntimeError): void;
};

/** Bounds what runs for each app. */
export function createAdmission(): Admission {
  const live = new Map<string, Map<AbortController, string | null>>();
  return {
    async run({ appId, project }, signal, work) {
      const running = live.get(appId) ?? new Map<AbortController, string | null>();
      if (running.size >= MAX_CALLS) {
        throw new RuntimeError('too-many', `The app has ${MAX_CALLS} calls under way already.`);
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
    close(appId, reason, project = null) {
      for (const [end, own] of live.get(appId) ?? []) {
        if (project === null || own === project) end.abort(reason);
      }
    },
    stop(reason) {
      for (const end of [...live.values()].flatMap((running) => [...running.keys()])) end.abort(reason);
    },
  };
}
