import type { Context } from 'hono';
import { type FormFault, orShowAgain, sendPage } from '../../http/page.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import type { Outages } from '../../platform/outages.ts';
import type { Quota } from '../../platform/rate.ts';
import {
  type AuthoriseDeps,
  findSignedInCaller,
  redirectTo,
  setSessionCookie,
  visitOf,
} from '../access/authorise.ts';
import type { Handlers } from '../access/bind-route.ts';
import { type Env, setRateLimitHeaders } from '../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../access/csrf.ts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import { accessPage, rulesOf } from './access-page.ts';
import { chooseAccess, putAccess } from './choose-access.ts';
import { resetPage, setupPage, signedInPage, signInPage, signUpPage } from './form-page.ts';
import { keepPassword, keptPassword } from './kept-password.ts';
import { mayJoin, mayNotJoin, safeNext } from './may-join.ts';
import { endSession } from './me.ts';
import type { PeopleParts } from './people-parts.ts';
import { providerService } from './provider.ts';
import { isSsoOnly, requireOwnWays } from './provider-access.ts';
import { readResetLink, recoveryPage, resetPassword } from './reset-link.ts';
import { becomeAdministrator, requireSetupKey, setUp, signUp } from './sign-up.ts';
import { countAttempt, KNOWN_SECONDS, knownBrowser, PASSWORDS, readKnownBrowser } from './tries.ts';

const refused = () =>
  new ApiError('forbidden', 'The email address or the password is wrong. Check both and try again.');

/**
 * Signs in with a password. Neither the answer nor its timing reveals whether an account has the email address.
 * @param email as it was typed
 * @param browser the cookie of a known browser
 * @param reportQuota receives the remaining attempts
 * @returns the secret for the session cookie
 * @throws ApiError forbidden, rate_limited
 */
async function signIn(
  deps: PeopleParts,
  { email, password, browser }: { email: string; password: string; browser: string | undefined },
  visit: Visit,
  reportQuota: (quota: Quota) => void,
): Promise<string> {
  const typed = email.trim().toLowerCase();
  const known = await readKnownBrowser(deps, browser, typed);
  const attempt = await countAttempt(deps, PASSWORDS, {
    account: typed,
    address: visit.from.address,
    browser: known,
  });
  reportQuota(attempt.quota);
  const found = await deps.people.findByEmail(typed);
  const hash = found && (await deps.passwords.find(found.id));
  const requester = {
    account: typed,
    network: networkOf(visit.from.address),
    ...(known !== null && { turn: 'first' as const }),
  };
  if (!(await deps.passwordHasher.matches(hash, password, requester)) || !found) throw refused();
  return deps.unitOfWork(async (stores) => {
    const person = await stores.people.find(found.id);
    // Hashing takes time: the owner may have changed the password in the meantime to lock out an attacker.
    if (!person || (await stores.passwords.find(found.id)) !== hash) throw refused();
    await attempt.succeed(stores);
    return beginSession(deps, stores, person, visit, 'password');
  });
}

export type PeopleRouteParts = PeopleParts & AuthoriseDeps & CsrfDeps & { outages: Pick<Outages, 'isDown'> };

/** Reports in the headers how many tries remain. */
export const quotaReporter = (c: Context<Env>) => (quota: Quota) => setRateLimitHeaders(c, quota);

/**
 * Sets the session cookie, and redirects to where the sign-in continues.
 * @param email the address of the account, for which the browser is known from now on
 */
async function completeSignIn(
  deps: PeopleRouteParts,
  c: Context<Env>,
  secret: Promise<string>,
  next: string | undefined,
  email?: string,
): Promise<Response> {
  setSessionCookie(deps, c, await secret);
  const account = email?.trim().toLowerCase();
  if (
    account !== undefined &&
    (await readKnownBrowser(deps, deps.cookies.get(c, 'browser'), account)) === null
  ) {
    deps.cookies.set(c, 'browser', await knownBrowser(deps, account), KNOWN_SECONDS);
  }
  return redirectTo(c, safeNext(next));
}

const providerNames = ({ providers, outages }: PeopleRouteParts) =>
  Array.from(providers.values(), ({ id, label }) => ({
    ...{ id, label },
    isDown: outages.isDown(providerService(id)),
  }));

const signUpView = (deps: PeopleRouteParts, c: Context<Env>, next: string | undefined) => ({
  csrf: csrfTokenFor(deps, c),
  next,
  script: deps.staticAddresses.get('sign-in.js'),
});

const signInView = async (deps: PeopleRouteParts, c: Context<Env>, next: string | undefined) => ({
  ...signUpView(deps, c, next),
  providers: providerNames(deps),
  signsUp: deps.providers.size === 0 && (await mayJoin(deps, next)),
  sendsMail: deps.sendsMail,
  ssoOnly: isSsoOnly(deps.providers),
});

/** @throws ApiError not_found, forbidden where visitors may not create an account themselves */
export async function requireSignUp(deps: PeopleRouteParts, next: string | undefined): Promise<void> {
  if (deps.providers.size > 0)
    throw new ApiError('not_found', 'This store has no sign-up page: sign in with one of its providers.');
  if (!(await mayJoin(deps, next))) throw mayNotJoin();
}

/** A field that must be filled in. @throws ApiError invalid_request */
function requireField(field: 'name' | 'email' | 'password', value: string | undefined): string {
  const word = { name: 'a name', email: 'an email address', password: 'a password' }[field];
  if (!value) throw invalidField(field, `Enter ${word}.`, `Enter ${word}.`);
  return value;
}

/** The password of a form: as typed, or as kept when the form was shown again. */
function passwordOf(
  deps: Pick<PeopleParts, 'keptMac' | 'clock' | 'random'>,
  where: string,
  { password: typed, kept }: { password?: string | undefined; kept?: string | undefined },
) {
  const password = typed || (kept === undefined ? undefined : keptPassword(deps, where, kept));
  return {
    password,
    /** The password for the form that is shown again, encrypted; undefined when it is what was refused. */
    keptAfter: ({ field }: FormFault): string | undefined =>
      !password || field === 'password' ? undefined : keepPassword(deps, where, password),
  };
}

const passwordRoutes = (deps: PeopleRouteParts) =>
  ({
    signInPage: async ({ query }, c) => {
      const name = (await findSignedInCaller(deps, c))?.person.name;
      if (name === undefined || query.again !== undefined)
        return sendPage(c, signInPage({ ...(await signInView(deps, c, query.next)), name }));
      return sendPage(c, signedInPage({ csrf: csrfTokenFor(deps, c), next: safeNext(query.next), name }));
    },
    signIn: async ({ form }, c) => {
      const view = await signInView(deps, c, form.next);
      return orShowAgain(
        c,
        ['forbidden'],
        async () => {
          requireOwnWays(deps.providers);
          return completeSignIn(
            deps,
            c,
            signIn(
              deps,
              { ...form, browser: deps.cookies.get(c, 'browser') },
              await visitOf(deps, c),
              quotaReporter(c),
            ),
            form.next,
            form.email,
          );
        },
        ({ message }) => signInPage({ ...view, email: form.email, error: message }),
      );
    },
    signUpPage: async ({ query }, c) => {
      await requireSignUp(deps, query.next);
      return sendPage(c, signUpPage(signUpView(deps, c, query.next)));
    },
    signUp: async ({ form }, c) => {
      await requireSignUp(deps, form.next);
      const view = signUpView(deps, c, form.next);
      const { password, keptAfter } = passwordOf(deps, `/sign-up ${view.csrf}`, form);
      return orShowAgain(
        c,
        ['invalid_request', 'already_exists'],
        async () => {
          const person = { ...form, password: requireField('password', password) };
          const session = signUp(deps, person, await visitOf(deps, c), quotaReporter(c));
          return completeSignIn(deps, c, session, form.next, form.email);
        },
        (fault) => signUpPage({ ...view, typed: form, fault, kept: keptAfter(fault) }),
      );
    },
  }) satisfies Handlers;

const resetRoutes = (deps: PeopleRouteParts) => {
  const view = async (c: Context<Env>, key: string) => {
    requireOwnWays(deps.providers);
    const { name } = await readResetLink(deps, deps, key);
    return { csrf: csrfTokenFor(deps, c), key, name };
  };
  return {
    resetPage: async ({ query }, c) => sendPage(c, resetPage(await view(c, query.key))),
    reset: async ({ form }, c) => {
      const page = await view(c, form.key);
      return orShowAgain(
        c,
        ['invalid_request'],
        async () =>
          completeSignIn(deps, c, resetPassword(deps, form, await visitOf(deps, c)), recoveryPage(deps)),
        (fault) => resetPage({ ...page, fault }),
      );
    },
  } satisfies Handlers;
};

const setupRoutes = (deps: PeopleRouteParts) => {
  const view = async (c: Context<Env>, key = '') => {
    await requireSetupKey(deps, deps, key);
    const caller = await findSignedInCaller(deps, c);
    const page = { csrf: csrfTokenFor(deps, c), key, providers: providerNames(deps) };
    return { caller, page: { ...page, name: caller?.person.name } };
  };
  return {
    setupPage: async ({ query }, c) => sendPage(c, setupPage((await view(c, query.key)).page)),
    setup: async ({ form }, c) => {
      const { caller, page } = await view(c, form.key);
      const { key, name, email } = form;
      const { password, keptAfter } = passwordOf(deps, `/setup ${page.csrf}`, form);
      const setUpStore = async () => {
        if (caller) {
          await becomeAdministrator(deps, caller, key);
          return redirectTo(c, afterSetup(deps));
        }
        if (deps.hasProviders) throw new ApiError('invalid_request', 'Sign in first.');
        const person = {
          name: requireField('name', name),
          email: requireField('email', email),
          password: requireField('password', password),
        };
        return completeSignIn(deps, c, setUp(deps, key, person, await visitOf(deps, c)), afterSetup(deps));
      };
      return orShowAgain(c, ['invalid_request', 'already_exists'], setUpStore, (fault) =>
        setupPage({ ...page, typed: form, fault, kept: keptAfter(fault) }),
      );
    },
  } satisfies Handlers;
};

/** Whether a step for the name and logo follows that of the administrator. */
const hasBrandStep = ({ routeNames }: Pick<PeopleRouteParts, 'routeNames'>) => routeNames.has('brandPage');

/** The page that follows the setup of a store. */
const afterSetup = (deps: Pick<PeopleRouteParts, 'routeNames'>) =>
  hasBrandStep(deps) ? '/setup/brand?first' : '/setup/access?first';

const accessRoutes = (deps: PeopleRouteParts) =>
  ({
    accessPage: ({ query }, c) => {
      const { given } = deps.accessRules;
      const steps = query.first === undefined ? null : hasBrandStep(deps) ? 3 : 2;
      const page = { csrf: csrfTokenFor(deps, c), rules: deps.accessRules.now(), given, steps };
      return sendPage(c, accessPage(page));
    },
    chooseAccess: async ({ caller, form: { preset, ...rules } }, c) => {
      await chooseAccess(deps, caller, { ...rules, ...rulesOf(preset) });
      return redirectTo(c, '/admin');
    },
    putAccess: ({ caller, body }) => putAccess(deps, caller, body),
  }) satisfies Handlers;

/** The pages to sign in with a password and to sign out, and those that set up the store. */
export const signInRoutes = (deps: PeopleRouteParts) =>
  ({
    ...passwordRoutes(deps),
    ...resetRoutes(deps),
    ...setupRoutes(deps),
    ...accessRoutes(deps),
    signOut: async (_request, c) => {
      const caller = await findSignedInCaller(deps, c);
      if (caller) await endSession(deps, caller, caller.sessionId);
      deps.cookies.drop(c, 'session');
      return redirectTo(c, '/sign-in');
    },
  }) satisfies Handlers;
