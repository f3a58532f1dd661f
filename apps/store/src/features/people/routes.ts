import type { Context } from 'hono';
import type { Handlers } from '../../access/bind-route.ts';
import type { Env } from '../../access/context.ts';
import { csrfTokenFor } from '../../access/csrf.ts';
import { personOf } from '../../access/signed-in.ts';
import { type ChangePersonDeps, changePerson, findPeople } from './administer.ts';
import { ceremonyRoutes } from './ceremony-routes.ts';
import { emailRoutes } from './email-routes.ts';
import { endSession, endSessions } from './end-sessions.ts';
import { deleteAccount, exportAccount, type LeaveDeps } from './leave.ts';
import { type ChoiceDeps, mailChoiceRoutes } from './mail-choice-routes.ts';
import { changeMe, presentMe } from './me.ts';
import { invitePerson, makeResetLink } from './reset-link.ts';
import { setPassword } from './set-password.ts';
import { type PeopleRouteDeps, signInRoutes } from './sign-in-routes.ts';
import { removePasskey, removePassword, renamePasskey, unlinkIdentity } from './ways.ts';

/** The routes of a signed-in user for their own account. */
const myRoutes = (deps: PeopleRouteDeps & LeaveDeps) => {
  /** The account, after a change. */
  const show = async (c: Context<Env>, change?: Promise<unknown>) => {
    await change;
    return presentMe(deps, personOf(c), csrfTokenFor(deps, c));
  };
  return {
    me: (_request, c) => show(c),
    changeMe: ({ caller, body }, c) => show(c, changeMe(deps, caller, body)),
    exportMe: async ({ caller }, c) => {
      c.header('Content-Disposition', 'attachment; filename="svc-account.json"');
      return exportAccount(deps, caller);
    },
    deleteMe: async ({ caller }, c) => {
      await deleteAccount(deps, caller);
      deps.cookies.drop(c, 'session');
      return { deleted: true as const };
    },
    setPassword: ({ caller, body }, c) => show(c, setPassword(deps, caller, body)),
    removePassword: ({ caller }, c) => show(c, removePassword(deps, caller)),
    renamePasskey: ({ caller, params, body }, c) =>
      show(c, renamePasskey(deps, caller, params.id, body.label)),
    removePasskey: ({ caller, params }, c) => show(c, removePasskey(deps, caller, params.id)),
    unlinkIdentity: ({ caller, params }, c) => show(c, unlinkIdentity(deps, caller, params.id)),
    endSession: async ({ caller, params }) => {
      await endSession(deps, caller, params.id);
      return { ended: 1 };
    },
    endSessions: async ({ caller, query }, c) => {
      const counts = await endSessions(deps, caller, query.tokens !== undefined);
      deps.cookies.drop(c, 'session');
      return counts;
    },
  } satisfies Handlers;
};

/** Sign-in, a user's own account, and the accounts of others for administrators. */
export const peopleRoutes = (deps: PeopleRouteDeps & ChangePersonDeps & LeaveDeps & ChoiceDeps) =>
  ({
    ...emailRoutes(deps),
    ...signInRoutes(deps),
    ...ceremonyRoutes(deps),
    ...myRoutes(deps),
    ...mailChoiceRoutes(deps),
    people: ({ query }) => findPeople(deps, query),
    addPerson: ({ caller, body }) => invitePerson(deps, caller, body),
    changePerson: ({ caller, params, body }) => changePerson(deps, caller, params.id, body),
    makeResetLink: ({ caller, params }) => makeResetLink(deps, caller, params.id),
  }) satisfies Handlers;
