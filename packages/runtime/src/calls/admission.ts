import type { RuntimeEvent } from '../events/events.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { orAborted } from '../platform/within-time.ts';

/** Maximum number of concurrent calls of an app, including those that wait for the user; and of those that wait for their turn. */
const MAX_CALLS = 16;
const MAX_WAITING = 64;

/** The time that a call waits for its turn, in milliseconds, where it has no time limit of its own. */
const WAIT_MS = 120_000;

/** The calls of an app: all of them with their projects, how many run, and those that wait, the first first. */
type Calls = { all: Map<AbortController, string | null>; running: number; waiting: (() => void)[] };

const tooMany = (what: string): RuntimeError =>
  new RuntimeError('too-many', `The app already has ${MAX_CALLS} calls in progress, and ${what}`);

/** Passes a turn on to the first call that waits. */
function passOn(app: Calls): void {
  const next = app.waiting.shift();
  if (next) next();
  else app.running -= 1;
}

/** Waits for the turn of a call. @throws RuntimeError `too-many` after its time; the reason of the signal */
async function waitForTurn(
  app: Calls,
  { sleep }: Pick<System, 'sleep'>,
  signal: AbortSignal,
  ms: number,
): Promise<void> {
  if (app.waiting.length >= MAX_WAITING) throw tooMany(`${MAX_WAITING} more wait for them.`);
  const { promise, resolve } = Promise.withResolvers<void>();
  app.waiting.push(resolve);
  const over = new AbortController();
  const late = sleep(ms, over.signal).then(
    () => {
      throw tooMany('this one had no turn within its time. Nothing was sent.');
    },
    () => undefined,
  );
  try {
    await orAborted(signal, Promise.race([promise, late]));
  } catch (error) {
    const at = app.waiting.indexOf(resolve);
    if (at !== -1) app.waiting.splice(at, 1);
    // It had just got its turn.
    else passOn(app);
    throw error;
  } finally {
    over.abort();
  }
}

/** Creates the limit of concurrent calls. */
export function createAdmission(system: Pick<System, 'sleep'>) {
  const live = new Map<string, Calls>();
  return {
    /**
     * Runs work of an app, in turn after those that came before where there are many. It is aborted when the app is closed or the caller's
     * signal is aborted, also while it waits.
     * @param ms time limit of the call, within which it has to get its turn
     * @throws RuntimeError `too-many`; the reason that the app was closed with
     */
    async run<T>(
      { appId, project, ms = WAIT_MS }: { appId: string; project: string | null; ms?: number | undefined },
      signal: AbortSignal | undefined,
      work: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> {
      const app = live.get(appId) ?? { all: new Map(), running: 0, waiting: [] };
      const end = new AbortController();
      live.set(appId, app);
      app.all.set(end, project);
      const either = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
      try {
        either.throwIfAborted();
        if (app.running >= MAX_CALLS) await waitForTurn(app, system, either, ms);
        else app.running += 1;
        try {
          return await work(either);
        } finally {
          passOn(app);
        }
      } finally {
        app.all.delete(end);
        if (app.all.size === 0) live.delete(appId);
      }
    },
    /** Whether work of an app runs or waits, also for the user. */
    isBusy: (appId: string): boolean => live.has(appId),
    /** Aborts all work of an app, or only that of one project. */
    close(appId: string, reason: RuntimeError, project: string | null = null) {
      for (const [end, own] of live.get(appId)?.all ?? []) {
        if (project === null || own === project) end.abort(reason);
      }
    },
    /** Aborts all work. */
    stop(reason: RuntimeError) {
      for (const end of [...live.values()].flatMap(({ all }) => [...all.keys()])) end.abort(reason);
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
    case 'app-yanked':
      return { appId: event.appId, reason: new RuntimeError('yanked') };
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
