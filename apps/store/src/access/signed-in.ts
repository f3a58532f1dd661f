import type { Context } from 'hono';
import type { Visit } from '../domain/identity/begin-session.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { SESSION_SECONDS } from '../domain/identity/session.ts';
import type { Cookies } from '../http/cookies.ts';
import { type AuthoriseDeps, whoIsSignedIn } from './authorise.ts';
import { type Env, originOf } from './context.ts';

/** The person who is signed in, on a route for people alone. */
export function personOf(c: Context<Env>): PersonCaller {
  const caller = c.get('caller');
  if (caller.kind !== 'person') throw new Error('A route that is for people let another caller pass.');
  return caller;
}

/** The browser that a person is about to sign in with. */
export async function visitOf(deps: AuthoriseDeps, c: Context<Env>): Promise<Visit> {
  const present = await whoIsSignedIn(deps, c);
  return {
    from: originOf(c),
    agent: c.req.header('user-agent') ?? '',
    before: present && { personId: present.person.id, sessionId: present.sessionId },
  };
}

/** Hands a browser its session, in place of all that it had before. */
export function keepSession({ cookies }: { cookies: Cookies }, c: Context<Env>, secret: string): void {
  cookies.set(c, 'session', secret, SESSION_SECONDS);
  cookies.drop(c, 'visit');
}

/** Leads on with a GET, whatever came. */
export const leadTo = (c: Context<Env>, url: string): Response =>
  c.body(null, 303, { Location: url, 'Cache-Control': 'no-store' });
