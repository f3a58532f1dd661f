import type { Route } from '@svc/contracts';
import type { Context, MiddlewareHandler } from 'hono';
import {
  type Caller,
  type CallerDeps,
  recognise,
  requireRole,
  signedInCaller,
} from '../domain/identity/caller.ts';
import { findSession, type SessionDeps } from '../domain/identity/session.ts';
import type { Cookies } from '../http/cookies.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Log } from '../platform/system.ts';
import { type Env, originOf } from './context.ts';

export type AuthoriseDeps = CallerDeps & Pick<SessionDeps, 'sessions'> & { log: Log; cookies: Cookies };

/** Who was refused what moderators and administrators do: the operator may want to know. */
function tellTurnedAway(log: Log, c: Context<Env>, { path }: Route, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const { requestId, address, caller } = c.var as Partial<Env['Variables']>;
  log.warn(
    { requestId, address, route: path, code: error.code, actor: caller?.name },
    'A caller was turned away.',
  );
}

/** Who is signed in at the browser that asks; null when nobody is. */
export async function whoIsSignedIn(deps: AuthoriseDeps, c: Context<Env>) {
  const secret = deps.cookies.get(c, 'session');
  const found = secret === undefined ? null : await findSession(deps, secret);
  return found && signedInCaller(found, originOf(c));
}

/** A token that is sent along counts, else the session of the browser. */
export async function callerOf(deps: AuthoriseDeps, c: Context<Env>): Promise<Caller> {
  const authorization = c.req.header('authorization');
  const signedIn = authorization === undefined ? await whoIsSignedIn(deps, c) : null;
  return signedIn ?? recognise(deps, authorization, originOf(c));
}

/** Lets only those pass to a route whose role reaches it. */
export const authorise =
  (deps: AuthoriseDeps, route: Route, role: Exclude<Route['auth'], 'none'>): MiddlewareHandler<Env> =>
  async (c, next) => {
    try {
      const caller = await callerOf(deps, c);
      c.set('caller', caller);
      requireRole(caller, role);
    } catch (error) {
      if (role === 'moderator' || role === 'admin') tellTurnedAway(deps.log, c, route, error);
      throw error;
    }
    await next();
  };
