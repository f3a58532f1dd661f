import { AsyncLocalStorage } from 'node:async_hooks';
import { LIMITS, needsProof, type Route } from '@svc/contracts';
import type { Context, MiddlewareHandler } from 'hono';
import type { Cookies } from '../../http/cookies.ts';
import { ApiError } from '../../platform/api-error.ts';
import { bearerOf, sameSecret } from '../../platform/secret.ts';
import type { Clock, Log, UnitOfWork } from '../../platform/system.ts';
import { SKEW_MS } from '../../platform/terms.ts';
import type { AccessRuleBook } from '../domain/identity/access-rules.ts';
import type { Visit } from '../domain/identity/begin-session.ts';
import {
  type Caller,
  type CallerDeps,
  type LiveStores,
  recognise,
  requireLive,
  requireRole,
  signedInCaller,
} from '../domain/identity/caller.ts';
import { findSession, SESSION_SECONDS, type SessionDeps } from '../domain/identity/session.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { type Env, originOf } from './context.ts';

/** The caller of the route of this request; none for visitors and jobs. */
const acting = new AsyncLocalStorage<Caller>();

/**
 * Makes every transaction of a request begin with the check that its caller still has access: when a recovery, a suspension, a
 * revocation or a change of role has committed, nothing of before follows it, whichever route it is.
 */
export const withLiveCallers =
  <S extends LiveStores>(unitOfWork: UnitOfWork<S>, clock: Clock): UnitOfWork<S> =>
  (work) => {
    const caller = acting.getStore();
    if (caller === undefined) return unitOfWork(work);
    return unitOfWork(async (stores) => {
      await requireLive(stores, caller, clock());
      return work(stores);
    });
  };

type ProofRules = Pick<Parts, 'clock'> & {
  /** Whether the store sends mail, so that users can confirm their email addresses. */ sendsMail: boolean;
};

/** Until when a proof of identity is accepted, in milliseconds since 1970. */
const proofEnd = (provedAt: string): number => Date.parse(provedAt) + LIMITS.people.proofMs;

/** Whether a proof is at most ten minutes old. One from the future was recorded by a clock that was ahead. */
function isFresh(provedAt: string | null, now: number): boolean {
  return provedAt !== null && proofEnd(provedAt) >= now && Date.parse(provedAt) <= now + SKEW_MS;
}

/** Whether a user must prove their identity again before a route: its effects in the route table need it, and their proof is too old. */
export const lacksProof = ({ clock }: Pick<Parts, 'clock'>, route: Route, caller: Caller): boolean =>
  caller.kind === 'person' && needsProof(route) && !isFresh(caller.provedAt, clock().getTime());

/**
 * Refuses a user who has not proved what a route needs, according to its columns `effects` and `provenAddress` of the route table.
 * A user without an email address signs in with a provider, which has proved who they are. A form asks for the proof itself, once it is
 * read (`bind-route.ts`), and loses nothing.
 * @throws ApiError reauthentication_required, email_unverified
 */
function requireProofs(rules: ProofRules, route: Route, caller: Caller): void {
  if (caller.kind !== 'person') return;
  const { email, emailVerified } = caller.person;
  if (route.provenAddress && rules.sendsMail && email !== null && !emailVerified) {
    throw new ApiError(
      'email_unverified',
      'Confirm your email address first: send yourself the link on the page of your account, and open it.',
    );
  }
  if (route.form || !lacksProof(rules, route, caller)) return;
  throw new ApiError(
    'reauthentication_required',
    'Confirm that it is you: enter your password or use a passkey, and try again. This is needed every ten minutes for changes of this kind.',
  );
}

export type AuthoriseDeps = CallerDeps &
  ProofRules &
  Pick<SessionDeps, 'sessions'> &
  Pick<Parts, 'log'> & {
    cookies: Cookies;
    /** After how many hours each session ends. */
    sessionHours: number;
    roleSessionHours: number;
    /** The token that only reads the metrics; null when the administrator's is used. */
    metricsToken: string | null;
    accessRules: Pick<AccessRuleBook, 'now'>;
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
  const rule = deps.accessRules.now().roles;
  return session && signedInCaller(session, { from: originOf(c), now: deps.clock(), rule });
}

/** Authenticates the caller by the token in the request, or else by the session of the browser. */
export async function callerOf(deps: AuthoriseDeps, c: Context<Env>): Promise<Caller> {
  const authorization = c.req.header('authorization');
  const signedIn = authorization === undefined ? await findSignedInCaller(deps, c) : null;
  return signedIn ?? recognise(deps, authorization, originOf(c));
}

/** Whether a request has the token of the metrics, which belongs to no caller. */
const isScraper = ({ metricsToken }: AuthoriseDeps, { scraped }: Route, c: Context<Env>): boolean =>
  scraped === true &&
  metricsToken !== null &&
  sameSecret(bearerOf(c.req.header('authorization')) ?? '', metricsToken);

/** The refusal of a caller of a route with a token of its own: it says which token is meant. Others stay as they are. */
function refusalOf({ scraped }: Route, error: unknown): unknown {
  if (!scraped || !(error instanceof ApiError) || !['unauthorized', 'forbidden'].includes(error.code))
    return error;
  return new ApiError(
    error.code,
    'This needs the metrics token, which the setting SVC_METRICS_TOKEN of the store has, or SVC_ADMIN_TOKEN: Authorization: Bearer <token>.',
  );
}

/** Creates middleware that admits only callers with the role of a route, who have proved what it needs. */
export const authorise =
  (deps: AuthoriseDeps, route: Route, role: Exclude<Route['auth'], 'none'>): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (isScraper(deps, route, c)) return next();
    try {
      const caller = await callerOf(deps, c);
      c.set('caller', caller);
      requireRole(caller, role);
      requireProofs(deps, route, caller);
    } catch (error) {
      if (role === 'moderator' || role === 'admin') logRefusal(deps.log, c, route, error);
      throw refusalOf(route, error);
    }
    await acting.run(c.get('caller'), next);
  };

/** The browser in which a user is about to sign in. */
export async function visitOf(deps: AuthoriseDeps, c: Context<Env>): Promise<Visit> {
  const present = await findSignedInCaller(deps, c);
  return {
    from: originOf(c),
    agent: c.req.header('user-agent') ?? '',
    before: present && { personId: present.person.id, sessionId: present.sessionId },
  };
}

/** Sets the session cookie of a browser, and removes the cookie from before the sign-in. */
export function setSessionCookie({ cookies }: { cookies: Cookies }, c: Context<Env>, secret: string): void {
  cookies.set(c, 'session', secret, SESSION_SECONDS);
  cookies.drop(c, 'visit');
}

/** Redirects with 303, which the browser follows with a GET. */
export const redirectTo = (c: Context<Env>, url: string): Response =>
  c.body(null, 303, { Location: url, 'Cache-Control': 'no-store' });
