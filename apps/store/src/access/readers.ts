import type { RouteName, TokenScope } from '@svc/contracts';
import type { MiddlewareHandler } from 'hono';
import type { AccessRuleBook } from '../domain/identity/access-rules.ts';
import { requireScope } from '../domain/identity/caller.ts';
import { type AuthoriseDeps, callerOf } from './authorise.ts';
import type { Env } from './context.ts';

/** The scopes of which a token must have one; sessions and automation need none. */
const scopesFor = (name: RouteName): readonly TokenScope[] =>
  name === 'versionStatus' ? ['status', 'read'] : ['read'];

/**
 * Refuses who is no member, where members alone may read, and keeps what members get out of shared caches.
 * @param name of a route that is for members
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
    requireScope(caller, ...scopesFor(name));
    await next();
    // RFC 9111 section 3.5: an answer that says `public` would be kept for others, although it was asked for with a token.
    const caching = c.res.headers.get('Cache-Control');
    if (caching !== null) c.header('Cache-Control', caching.replace(/\bpublic\b/, 'private'));
    c.header('Vary', 'Authorization, Cookie', { append: true });
  };
