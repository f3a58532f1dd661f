import type { Context } from 'hono';
import type { Visit } from '../domain/identity/begin-session.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { SESSION_SECONDS } from '../domain/identity/session.ts';
import type { Cookies } from '../http/cookies.ts';
import { type AuthoriseDeps, findSignedInCaller } from './authorise.ts';
import { type Env, originOf } from './context.ts';

/** The signed-in user, on a route that only signed-in users may call. */
export function personOf(c: Context<Env>): PersonCaller {
  const caller = c.get('caller');
  if (caller.kind !== 'person') throw new Error('A route for signed-in users admitted another caller.');
  return caller;
}

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
