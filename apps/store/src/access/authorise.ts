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
import { type ProofRules, requireProofs } from './proofs.ts';

export type AuthoriseDeps = CallerDeps &
  ProofRules &
  Pick<SessionDeps, 'sessions'> & {
    log: Log;
    cookies: Cookies;
    /** Whether moderators and administrators have their role only in a session that a passkey proved. */
    rolesNeedPasskey: boolean;
  };

/** Logs a refused call to a route of moderators or administrators, for the operator. */
function logRefusal(log: Log, c: Context<Env>, { path }: Route, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const { requestId, address, caller } = c.var as Partial<Env['Variables']>;
  log.warn(
    { requestId, address, route: path, code: error.code, actor: caller?.name },
    'A caller was refused.',
  );
}

/** The signed-in user of the requesting browser; null when there is none. */
export async function findSignedInCaller(deps: AuthoriseDeps, c: Context<Env>) {
  const secret = deps.cookies.get(c, 'session');
  const session = secret === undefined ? null : await findSession(deps, secret);
  return session && signedInCaller(session, originOf(c), deps.rolesNeedPasskey);
}

/** Authenticates the caller by the token in the request, or else by the session of the browser. */
export async function callerOf(deps: AuthoriseDeps, c: Context<Env>): Promise<Caller> {
  const authorization = c.req.header('authorization');
  const signedIn = authorization === undefined ? await findSignedInCaller(deps, c) : null;
  return signedIn ?? recognise(deps, authorization, originOf(c));
}

/** Creates middleware that admits only callers with the role of a route, who have proved what it needs. */
export const authorise =
  (deps: AuthoriseDeps, route: Route, role: Exclude<Route['auth'], 'none'>): MiddlewareHandler<Env> =>
  async (c, next) => {
    try {
      const caller = await callerOf(deps, c);
      c.set('caller', caller);
      requireRole(caller, role);
      requireProofs(deps, route, caller);
    } catch (error) {
      if (role === 'moderator' || role === 'admin') logRefusal(deps.log, c, route, error);
      throw error;
    }
    await next();
  };
