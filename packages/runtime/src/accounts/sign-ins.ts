import type { Events } from '../events/events.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';

/** Whose sign-in it is. */
export type SignInOwner = { appId: string; accountId: string };

/** One sign-in, as the work of it sees it. */
export type SignInWork = (signal: AbortSignal, opened: (url: string) => void) => Promise<void>;

type UnderWay = SignInOwner & {
  name: string;
  /** Null until the browser is opened. */
  url: string | null;
  cancelled: AbortController;
  done: Promise<void>;
};

/** The sign-ins of this process that wait for the user. */
export type SignIns = {
  /**
   * Starts a sign-in, or joins the one under way and opens its page again. A caller whose signal is aborted leaves it to the others;
   * it ends when none is left, when it is cancelled, or with its time.
   */
  join(name: string, owner: SignInOwner, work: SignInWork, signal?: AbortSignal): Promise<void>;
  /** Opens the page of a sign-in again. @returns false when none is under way, or its page is not known yet */
  reopen(owner: SignInOwner): Promise<boolean>;
  /** Ends those of an app, or of one account: callers that wait are refused with `declined`. @returns whether there was one */
  cancel(appId: string, accountId?: string): boolean;
  /** What resolves when the one under way does; null when there is none. */
  underWay(owner: SignInOwner): Promise<void> | null;
};

/** For which sign-in a page is opened. */
export type SignInPage = SignInOwner & {
  /** Aborted when the sign-in is over, however it ended: its page is of no more use. */
  signal: AbortSignal;
};

/** Opens an address in the user's browser. */
export type OpenBrowser = (url: string, page: SignInPage) => Promise<void>;

type Deps = { events: Events; openBrowser: OpenBrowser };

export function createSignIns({ events, openBrowser }: Deps): SignIns {
  const join = createSingleFlight<void>();
  const all = new Map<string, UnderWay>();

  const ofApp = (appId: string, accountId?: string): UnderWay[] =>
    [...all.values()].filter(
      (one) => one.appId === appId && (accountId === undefined || one.accountId === accountId),
    );

  async function open({ url, appId, accountId, cancelled }: UnderWay): Promise<boolean> {
    if (url === null) return false;
    await openBrowser(url, { appId, accountId, signal: cancelled.signal }).catch(() => {
      // Not the cause: it may hold the address, and in it the state.
      throw new RuntimeError('connect-failed', 'The browser cannot be opened.');
    });
    return true;
  }

  async function run(name: string, owner: SignInOwner, work: SignInWork, signal: AbortSignal): Promise<void> {
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    done.catch(() => undefined);
    const cancelled = new AbortController();
    const entry: UnderWay = { ...owner, name, url: null, cancelled, done };
    all.set(name, entry);
    events.emit({ type: 'sign-in-started', ...owner });
    try {
      await work(AbortSignal.any([signal, cancelled.signal]), (url) => {
        entry.url = url;
      });
      resolve();
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      if (all.get(name) === entry) all.delete(name);
      cancelled.abort(new RuntimeError('declined', 'The sign-in is over.'));
      events.emit({ type: 'sign-in-ended', ...owner });
    }
  }

  return {
    async join(name, owner, work, signal) {
      const present = all.get(name);
      const ended = join(name, (own) => run(name, owner, work, own), signal);
      if (!present) return ended;
      ended.catch(() => undefined);
      await open(present);
      return ended;
    },
    async reopen({ appId, accountId }) {
      const [entry] = ofApp(appId, accountId);
      return entry !== undefined && open(entry);
    },
    cancel(appId, accountId) {
      const entries = ofApp(appId, accountId);
      const reason = new RuntimeError('declined', 'The sign-in was cancelled.');
      for (const { cancelled } of entries) cancelled.abort(reason);
      return entries.length > 0;
    },
    underWay: ({ appId, accountId }) => ofApp(appId, accountId)[0]?.done ?? null,
  };
}
