import type { Events } from '../events/events.ts';
import { connectFailed, RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';

/** The app and account of a sign-in. */
export type SignInOwner = { appId: string; accountId: string };

/** The work of a sign-in. */
export type SignInWork = (signal: AbortSignal, progress: SignInProgress) => Promise<void>;

/** What a sign-in does with its page: opens it, and later shows the digits that the callback page may ask for. */
export type SignInProgress = {
  /** Opens the authorization URL. @throws RuntimeError connect-failed when the browser cannot be opened */
  open(url: string): Promise<void>;
  /** Called once with the digits. */
  onDigits(digits: string): void;
};

type UnderWay = SignInOwner & {
  name: string;
  /** Null until the browser is opened. */
  url: string | null;
  digits: string | null;
  cancelled: AbortController;
  done: Promise<void>;
};

/** The sign-in whose page is opened. */
export type SignInPage = SignInOwner & {
  /** Aborted when the sign-in has ended, so that its page can be closed. */
  signal: AbortSignal;
};

/** Opens a URL in the user's browser. */
export type OpenBrowser = (url: string, page: SignInPage) => Promise<void>;

export function createSignIns({ events, openBrowser }: { events: Events; openBrowser: OpenBrowser }) {
  const join = createSingleFlight<void>();
  const all = new Map<string, UnderWay>();

  const ofApp = (appId: string, accountId?: string): UnderWay[] =>
    [...all.values()].filter(
      (one) => one.appId === appId && (accountId === undefined || one.accountId === accountId),
    );

  /** Opens the page of a sign-in. @returns false when its URL is not known yet */
  async function open({ appId, accountId, cancelled }: UnderWay, url: string | null): Promise<boolean> {
    if (url === null) return false;
    await openBrowser(url, { appId, accountId, signal: cancelled.signal }).catch(() => {
      // Without the cause: it may contain the URL with the state.
      throw connectFailed('The browser cannot be opened.', 'no-browser');
    });
    return true;
  }

  async function run(name: string, owner: SignInOwner, work: SignInWork, signal: AbortSignal): Promise<void> {
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    done.catch(() => undefined);
    const cancelled = new AbortController();
    const entry: UnderWay = { ...owner, name, url: null, digits: null, cancelled, done };
    all.set(name, entry);
    events.emit({ type: 'sign-in-started', ...owner });
    try {
      await work(AbortSignal.any([signal, cancelled.signal]), {
        async open(url) {
          await open(entry, url);
          entry.url = url;
        },
        onDigits(digits) {
          entry.digits = digits;
          events.emit({ type: 'sign-in-digits', ...owner, digits });
        },
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
    /**
     * Starts a sign-in, or joins the one in progress and reopens its page. It is aborted when the signals of all callers are, when it
     * is cancelled, or when its time limit is reached.
     */
    async join(name: string, owner: SignInOwner, work: SignInWork, signal?: AbortSignal) {
      const present = all.get(name);
      const ended = join(name, (own) => run(name, owner, work, own), signal);
      if (!present) return ended;
      ended.catch(() => undefined);
      await open(present, present.url);
      return ended;
    },
    /** Reopens the page of a sign-in. @returns false when none is in progress, or its page is not known yet */
    async reopen({ appId, accountId }: SignInOwner): Promise<boolean> {
      const [entry] = ofApp(appId, accountId);
      return entry !== undefined && open(entry, entry.url);
    },
    /** Cancels the sign-ins of an app, or of one account: their callers reject with `declined`. @returns whether there was one */
    cancel(appId: string, accountId?: string) {
      const entries = ofApp(appId, accountId);
      const reason = new RuntimeError('declined', 'The sign-in was cancelled.');
      for (const { cancelled } of entries) cancelled.abort(reason);
      return entries.length > 0;
    },
    /** A promise that settles with the sign-in in progress; null when there is none. */
    underWay: ({ appId, accountId }: SignInOwner) => ofApp(appId, accountId)[0]?.done ?? null,
    /** The digits to type on the callback page of the sign-in in progress, if it asks for them; null as long as it need not. */
    digits: ({ appId, accountId }: SignInOwner) => ofApp(appId, accountId)[0]?.digits ?? null,
  };
}

/** The sign-ins in progress of this process. */
export type SignIns = ReturnType<typeof createSignIns>;
