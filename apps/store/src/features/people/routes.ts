import type { Context } from 'hono';
import type { RouteHandler } from '../../access/bind-route.ts';
import type { Env } from '../../access/context.ts';
import { csrfTokenFor } from '../../access/csrf.ts';
import { personOf } from '../../access/signed-in.ts';
import { type ChangePersonDeps, changePerson, findPeople } from './administer.ts';
import { ceremonyRoutes } from './ceremony-routes.ts';
import { emailRoutes } from './email-routes.ts';
import { endSession, endSessions } from './end-sessions.ts';
import { changeMe, presentMe } from './me.ts';
import { invitePerson, makeResetLink } from './reset-link.ts';
import { setPassword } from './set-password.ts';
import { type PeopleRouteDeps, signInRoutes } from './sign-in-routes.ts';
import { removePasskey, removePassword, renamePasskey, unlinkIdentity } from './ways.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes of a signed-in user for their own account. */
const myRoutes = (deps: PeopleRouteDeps) => {
  const view = (c: Context<Env>) => presentMe(deps, personOf(c), csrfTokenFor(deps, c));
  const show = async (c: Context<Env>) => c.json(await view(c), 200, NO_STORE);
  return {
    me: show satisfies RouteHandler<'me'>,
    changeMe: (async (c, { body }) => {
      await changeMe(deps, personOf(c), body);
      return show(c);
    }) satisfies RouteHandler<'changeMe'>,
    setPassword: (async (c, { body }) => {
      await setPassword(deps, personOf(c), body);
      return show(c);
    }) satisfies RouteHandler<'setPassword'>,
    removePassword: (async (c) => {
      await removePassword(deps, personOf(c));
      return show(c);
    }) satisfies RouteHandler<'removePassword'>,
    renamePasskey: (async (c, { params, body }) => {
      await renamePasskey(deps, personOf(c), params.id, body.label);
      return show(c);
    }) satisfies RouteHandler<'renamePasskey'>,
    removePasskey: (async (c, { params }) => {
      await removePasskey(deps, personOf(c), params.id);
      return show(c);
    }) satisfies RouteHandler<'removePasskey'>,
    unlinkIdentity: (async (c, { params }) => {
      await unlinkIdentity(deps, personOf(c), params.id);
      return show(c);
    }) satisfies RouteHandler<'unlinkIdentity'>,
    endSession: (async (c, { params }) => {
      await endSession(deps, personOf(c), params.id);
      return c.json({ ended: 1 }, 200, NO_STORE);
    }) satisfies RouteHandler<'endSession'>,
    endSessions: (async (c, { query }) => {
      const counts = await endSessions(deps, personOf(c), query.tokens !== undefined);
      deps.cookies.drop(c, 'session');
      return c.json(counts, 200, NO_STORE);
    }) satisfies RouteHandler<'endSessions'>,
  };
};

/** Sign-in, a user's own account, and the accounts of others for administrators. */
export const peopleRoutes = (deps: PeopleRouteDeps & ChangePersonDeps) => ({
  ...emailRoutes(deps),
  ...signInRoutes(deps),
  ...ceremonyRoutes(deps),
  ...myRoutes(deps),
  people: (async (c, { query }) =>
    c.json(await findPeople(deps, query), 200, NO_STORE)) satisfies RouteHandler<'people'>,
  addPerson: (async (c, { body }) =>
    c.json(
      await invitePerson(deps, c.get('caller'), body),
      201,
      NO_STORE,
    )) satisfies RouteHandler<'addPerson'>,
  changePerson: (async (c, { params, body }) =>
    c.json(
      await changePerson(deps, c.get('caller'), params.id, body),
    )) satisfies RouteHandler<'changePerson'>,
  makeResetLink: (async (c, { params }) =>
    c.json(
      await makeResetLink(deps, c.get('caller'), params.id),
      201,
      NO_STORE,
    )) satisfies RouteHandler<'makeResetLink'>,
});
