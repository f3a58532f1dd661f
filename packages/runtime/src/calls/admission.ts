import type { RuntimeEvent } from '../events/events.ts';
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

/**
 * What an event ends: all calls of an app, in one project or in all, with a reason; or the sessions of an account, immediately or
 * (`retire`) after their running calls.
 */
type Ended =
  | { appId: string; reason: RuntimeError; project?: string | null }
  | { appId: string; accountId: string; retire: boolean };

/** What an event ends; null when nothing. */
export function endedBy(event: RuntimeEvent): Ended | null {
  switch (event.type) {
    case 'app-withdrawn':
      return { appId: event.appId, reason: new RuntimeError('withdrawn') };
    case 'app-switched':
      return event.on
        ? null
        : { appId: event.appId, reason: new RuntimeError('switched-off'), project: event.project };
    case 'app-removed':
      return { appId: event.appId, reason: new RuntimeError('not-installed') };
    case 'app-updated':
      return { appId: event.appId, reason: new RuntimeError('switched-off', 'The app was updated.') };
    case 'account-disconnected':
      return { appId: event.appId, accountId: event.accountId, retire: false };
    // The call that caused the event waits in this session for the user to connect; other calls may be running at the server.
    case 'account-dropped':
      return { appId: event.appId, accountId: event.accountId, retire: true };
    default:
      return null;
  }
}
