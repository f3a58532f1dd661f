import { askToConnect, type SignInSource } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import { CONNECTOR_ACCOUNT, withAccount } from '../connectors/connector-app.ts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';
import type { System } from '../platform/system.ts';
import { type TimeLimit, withinLimit } from '../platform/within-time.ts';
import { type CallContext, callContext } from './authorised-fetch.ts';
import { faultOf, isSessionLost } from './fault.ts';
import type { Session, Sessions } from './sessions.ts';

/** Maximum sign-ins per call: one because there is no token, one because the server requires more scopes. */
const MAX_SIGN_INS = 2;

/** Maximum retries per call during an outage of the authorization server, as the answers may come from a program. */
const MAX_RETRIES = 8;

/** What an attempt is missing: a sign-in, possibly with more scopes; or a response of the authorization server (`outage`). */
type Missing = { scopes: readonly string[]; outage: string | null };

/** What an attempt is missing; null for any other error. */
function missingIn(error: unknown): Missing | null {
  if (!(error instanceof RuntimeError)) return null;
  if (error.code === 'token-unavailable') return { scopes: [], outage: error.message };
  if (error.code !== 'not-connected') return null;
  return { scopes: Array.isArray(error.detail.scopes) ? error.detail.scopes : [], outage: null };
}

/** The error of a call that ends. One whose account was connected for it, and is refused nevertheless, says so. */
const lastOf = (error: unknown, signIns: number): unknown =>
  error instanceof RuntimeError && error.code === 'not-connected' && signIns > 0
    ? new RuntimeError(error.code, 'The app’s server refuses the account that was just connected.', {
        detail: error.detail as { accountId: string },
      })
    : error;

export type WithAccount = <T>(
  app: InstalledApp,
  accountId: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
) => Promise<T>;

/**
 * Creates a wrapper that asks the user to sign in when an attempt has no token, and then retries. Calls for the same account share a
 * card until it is answered; a call during the sign-in shows another card that can reopen the page.
 */
export function createWithAccount(ask: Ask, accounts: SignInSource): WithAccount {
  const shared = createSingleFlight<'connected' | 'retry'>();
  const answered = new Map<string, number>();

  function connect(app: InstalledApp, accountId: string, missing: Missing, signal: AbortSignal) {
    const { scopes, outage } = missing;
    const key = JSON.stringify([app.appId, accountId, scopes, outage !== null]);
    const count = answered.get(key) ?? 0;
    const accepted = () => void answered.set(key, count + 1);
    return shared(
      JSON.stringify([key, count]),
      (ended) => askToConnect({ ask, accounts }, app, accountId, { scopes, outage, accepted }, ended),
      signal,
    );
  }

  return async (app, accountId, signal, attempt) => {
    let [signIns, retries] = [0, 0];
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const missing = missingIn(error);
        if (!missing || signIns === MAX_SIGN_INS || retries === MAX_RETRIES) throw lastOf(error, signIns);
        const outcome = await connect(app, accountId, missing, signal).catch((refusal: unknown) => {
          // If the user declines both options, the outage is the error.
          const isDeclined = refusal instanceof RuntimeError && refusal.code === 'declined';
          throw isDeclined && missing.outage !== null ? error : refusal;
        });
        if (outcome === 'retry') retries += 1;
        else signIns += 1;
      }
    }
  };
}

/** HTTP statuses of an address at which no server answers MCP, or not now. */
const isGone = (status: unknown): boolean => typeof status === 'number' && (status >= 500 || status === 404);

/** Whether an error says that the server of an app does not respond. One that answers with an error of its own does. */
function isLost({ code, detail: { status, rpc } }: RuntimeError): boolean {
  if (code === 'unreachable') return true;
  return code === 'server-failed' && rpc === undefined && (status === undefined || isGone(status));
}

/**
 * Remembers which servers do not respond, from what their last request or their program came to. It sends no request of its own: one
 * that the user does not wait for may start a program, or cost something.
 */
export function createServerHealth(events: Pick<Events, 'emit'>) {
  const lost = new Map<string, string>();
  function responded(appId: string): void {
    if (lost.delete(appId)) events.emit({ type: 'server-back', appId });
  }
  return {
    responded,
    /** @param error of a request; one that says nothing about the server changes nothing */
    failed(appId: string, error: unknown): void {
      if (!(error instanceof RuntimeError)) return;
      if (error.detail.rpc !== undefined) responded(appId);
      if (!isLost(error) || lost.get(appId) === error.message) return;
      lost.set(appId, error.message);
      events.emit({ type: 'server-lost', appId, reason: error.message });
    },
    /** Why the server of an app does not respond; null if it did, or was not asked in this process. */
    faultOf: (appId: string): string | null => lost.get(appId) ?? null,
    /** The app was removed or replaced, or its server is asked in another way. */
    forget: (appId: string): void => void lost.delete(appId),
  };
}

export type ServerHealth = ReturnType<typeof createServerHealth>;

/** A shared reason: creating an error for each call is expensive. */
const OVER = new Error('The call is over.');

export type UseDeps = {
  system: System;
  sessions: Sessions;
  withAccount: WithAccount;
  health: Pick<ServerHealth, 'responded' | 'failed'>;
};

/** The app, account, context and time limit of a request to a server. */
export type Use = {
  app: InstalledApp;
  accountId: string | null;
  context: Omit<CallContext, 'refresh' | 'signal' | 'limit'>;
  signal: AbortSignal;
  /** Time limit of each attempt, in milliseconds, not counting the time of a sign-in and of questions of the server. */
  ms: number;
  /** Longest time of an attempt that makes progress, in milliseconds. Default: `ms`. */
  maxMs?: number;
  /** Whether the user may be asked to sign in. */
  mayAsk: boolean;
};

/**
 * Runs work in a session of an app, with its account connected and a time limit. A session that the server has lost is opened again,
 * once. A connector whose server requires a sign-in after all gets an account (`openFetch`). Rejects with a RuntimeError without tokens.
 */
export function useServer<T>(
  deps: UseDeps,
  use: Use,
  work: (session: Session, signal: AbortSignal, limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const { system, sessions, withAccount: signedIn, health } = deps;
  const { app, accountId, context, signal, ms, maxMs = ms, mayAsk } = use;
  const refresh = { isUsed: false };
  async function once(timed: AbortSignal, limit: TimeLimit): Promise<T> {
    const over = new AbortController();
    const end = () => over.abort(timed.reason);
    timed.addEventListener('abort', end, { once: true });
    const own: CallContext = { ...context, refresh, signal: over.signal, limit };
    try {
      return await callContext.run(own, () =>
        sessions.use(app, accountId, timed, (session) => work(session, timed, limit)),
      );
    } finally {
      timed.removeEventListener('abort', end);
      over.abort(OVER);
    }
  }
  const attempt = () =>
    withinLimit(system, { ms, maxMs }, signal, async (timed, limit) => {
      try {
        const result = await once(timed, limit).catch((error: unknown) => {
          if (!isSessionLost(error)) throw error;
          return once(timed, limit);
        });
        health.responded(app.appId);
        return result;
      } catch (error) {
        const fault = faultOf(error, timed, sessions.secretsOf(app.appId));
        health.failed(app.appId, fault);
        throw fault;
      }
    });
  if (accountId !== null) return mayAsk ? signedIn(app, accountId, signal, attempt) : attempt();
  return attempt().catch((error: unknown) => {
    if (!mayAsk || missingIn(error) === null) throw error;
    return useServer(deps, { ...use, app: withAccount(app), accountId: CONNECTOR_ACCOUNT }, work);
  });
}
