import type { Context } from 'hono';
import type { Cookies } from '../../http/cookies.ts';
import { findSignedInCaller, redirectTo, setSessionCookie, visitOf } from '../access/authorise.ts';
import type { Handlers } from '../access/bind-route.ts';
import { type Env, originOf } from '../access/context.ts';
import { CEREMONY_MS } from './ceremony.ts';
import {
  beginProviderSignIn,
  endProviderSignIn,
  endSessionsAtProvider,
  linkIdentity,
  signInWithIdentity,
} from './identities.ts';
import { ACCOUNT, mayJoin, safeNext } from './may-join.ts';
import { addPasskey, beginAssertion, beginPasskey, signInWithPasskey } from './passkeys.ts';
import { requireOwnWays } from './provider-access.ts';
import { type PeopleRouteParts, quotaReporter, requireSignUp } from './sign-in-routes.ts';
import { beginPasskeySignUp, signUpWithPasskey } from './sign-up.ts';
import { provePassword, proveWithPasskey } from './ways.ts';

/**
 * Sets the cookie of a ceremony, and where to continue. That address is not stored in the database, as it may contain
 * the key of a link.
 */
function setCeremonyCookie(
  { cookies }: { cookies: Cookies },
  c: Context<Env>,
  cookie: string,
  next = '',
): void {
  const value = next === '' ? cookie : `${cookie}.${Buffer.from(next).toString('base64url')}`;
  cookies.set(c, 'ceremony', value, CEREMONY_MS / 1000);
}

/** Reads and deletes the cookie of a ceremony, which is used once. */
function takeCeremonyCookie({ cookies }: { cookies: Cookies }, c: Context<Env>) {
  const [secret, facts, mac, next] = (cookies.get(c, 'ceremony') ?? '').split('.');
  cookies.drop(c, 'ceremony');
  return {
    cookie: `${secret}.${facts}.${mac}`,
    next: next === undefined ? undefined : Buffer.from(next, 'base64url').toString(),
  };
}

const passkeyRoutes = (deps: PeopleRouteParts) =>
  ({
    passkeySignInOptions: async (_request, c) => {
      requireOwnWays(deps.providers);
      const { cookie, options } = await beginAssertion(deps, null);
      setCeremonyCookie(deps, c, cookie);
      return { ...options };
    },
    passkeySignIn: async ({ body }, c) => {
      requireOwnWays(deps.providers);
      const { cookie } = takeCeremonyCookie(deps, c);
      const session = await signInWithPasskey(deps, cookie, body.credential, await visitOf(deps, c));
      setSessionCookie(deps, c, session);
      return { url: safeNext(body.next) };
    },
    passkeySignUpOptions: async ({ body }, c) => {
      await requireSignUp(deps, body.next);
      const visit = await visitOf(deps, c);
      const { cookie, options } = await beginPasskeySignUp(deps, body, visit, quotaReporter(c));
      setCeremonyCookie(deps, c, cookie);
      return { ...options };
    },
    passkeySignUp: async ({ body }, c) => {
      await requireSignUp(deps, body.next);
      const { cookie } = takeCeremonyCookie(deps, c);
      const visit = await visitOf(deps, c);
      setSessionCookie(deps, c, await signUpWithPasskey(deps, cookie, body, visit, quotaReporter(c)));
      return { url: safeNext(body.next) };
    },
    proofOptions: async ({ caller }, c) => {
      const { cookie, options } = await beginAssertion(deps, caller.person);
      setCeremonyCookie(deps, c, cookie);
      return { ...options };
    },
    proveIdentity: async ({ caller, body }, c) => {
      const until =
        'password' in body
          ? await provePassword(deps, caller, body.password)
          : await proveWithPasskey(deps, caller, takeCeremonyCookie(deps, c).cookie, body.credential);
      return { until };
    },
    passkeyOptions: async ({ caller }, c) => {
      const { cookie, options } = await beginPasskey(deps, caller);
      setCeremonyCookie(deps, c, cookie);
      return { ...options };
    },
    addPasskey: async ({ caller, body }, c) => {
      const { cookie } = takeCeremonyCookie(deps, c);
      return addPasskey(deps, caller, cookie, body);
    },
  }) satisfies Handlers;

/** Sign-in that takes two requests: with passkeys, and with providers. */
export const ceremonyRoutes = (deps: PeopleRouteParts) =>
  ({
    ...passkeyRoutes(deps),
    beginProviderSignIn: async ({ params, query }, c) => {
      const { cookie, url } = await beginProviderSignIn(deps, params.provider, null);
      setCeremonyCookie(deps, c, cookie, safeNext(query.next));
      return redirectTo(c, url);
    },
    linkIdentity: async ({ caller, params }, c) => {
      const { person } = caller;
      const { cookie, url } = await beginProviderSignIn(deps, params.id, person);
      setCeremonyCookie(deps, c, cookie);
      return { url };
    },
    endProviderSignIn: async ({ params }, c) => {
      const { cookie, next } = takeCeremonyCookie(deps, c);
      const { search: query } = new URL(c.req.url);
      const { proven, personId } = await endProviderSignIn(deps, {
        providerId: params.provider,
        cookie,
        query,
      });
      if (personId !== null) {
        await linkIdentity(deps, await findSignedInCaller(deps, c), personId, proven);
        return redirectTo(c, ACCOUNT);
      }
      const joins = await mayJoin(deps, next);
      setSessionCookie(deps, c, await signInWithIdentity(deps, proven, await visitOf(deps, c), joins));
      return redirectTo(c, safeNext(next));
    },
    providerLogout: async ({ params, form }, c) => {
      const request = { providerId: params.provider, token: form.logout_token, from: originOf(c) };
      await endSessionsAtProvider(deps, request);
      return {};
    },
  }) satisfies Handlers;
