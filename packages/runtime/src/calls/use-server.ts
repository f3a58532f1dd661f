import type { InstalledApp } from '../library/installed-app.ts';
import type { System } from '../platform/system.ts';
import { type TimeLimit, withinLimit } from '../platform/within-time.ts';
import { type CallContext, callContext } from './call-context.ts';
import { faultOf, isSessionLost } from './fault.ts';
import type { ServerHealth } from './server-health.ts';
import type { Session, Sessions } from './sessions.ts';
import type { WithAccount } from './with-account.ts';

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
 * once. Rejects with a RuntimeError without tokens.
 */
export function useServer<T>(
  { system, sessions, withAccount, health }: UseDeps,
  { app, accountId, context, signal, ms, maxMs = ms, mayAsk }: Use,
  work: (session: Session, signal: AbortSignal, limit: TimeLimit) => Promise<T>,
): Promise<T> {
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
  return accountId === null || !mayAsk ? attempt() : withAccount(app, accountId, signal, attempt);
}
