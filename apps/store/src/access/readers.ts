import type { RouteName, TokenScope } from '@svc/contracts';
import type { MiddlewareHandler } from 'hono';
import type { AccessRuleBook } from '../domain/identity/access-rules.ts';
import { type Caller, requireApp } from '../domain/identity/caller.ts';
import { ApiError } from '../platform/api-error.ts';
import { type AuthoriseDeps, callerOf } from './authorise.ts';
import type { Env } from './context.ts';

/** The scopes of which a token must have at least one; sessions and automation need none. */
const scopesFor = (name: RouteName): readonly TokenScope[] =>
  name === 'versionStatus' ? ['status', 'read'] : ['read'];

/** Refuses a token without a scope to read, such as one that is older than this scope. @throws ApiError forbidden */
function requireReadScope(caller: Caller, name: RouteName): void {
  if (caller.kind !== 'token' || scopesFor(name).some((scope) => caller.scopes.includes(scope))) return;
  throw new ApiError(
    'forbidden',
    'This store is for members, and the token lacks the scope read: sign in again with svc login, or create a token with that scope on your account page.',
  );
}

/**
 * Refuses a token that is bound to one app any request about another. The revocation list is open to every token: no client may run an
 * app without it.
 * @throws ApiError forbidden
 */
function requireAboutApp(caller: Caller, name: RouteName, appId: string | undefined): void {
  if (name !== 'revocations') requireApp(caller, appId ?? '');
}

/**
 * Creates middleware for stores that only members may read: it refuses other callers, and keeps responses out of shared caches.
 * @param name the name of a route that is for members
 */
export const requireReader =
  (
    deps: AuthoriseDeps & { accessRules: Pick<AccessRuleBook, 'now'> },
    name: RouteName,
  ): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (deps.accessRules.now().read === 'public') return next();
    const caller = await callerOf(deps, c);
    c.set('caller', caller);
    requireReadScope(caller, name);
    requireAboutApp(caller, name, c.req.param('appId'));
    await next();
    // RFC 9111 section 3.5: a shared cache may store a response with `public`, although the request was authenticated.
    const caching = c.res.headers.get('Cache-Control');
    if (caching !== null) c.header('Cache-Control', caching.replace(/\bpublic\b/, 'private'));
    c.header('Vary', 'Authorization, Cookie', { append: true });
  };
