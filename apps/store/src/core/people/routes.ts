import { MAIL_TOPICS, type MailChoices, type MailTopic } from '@svc/contracts';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { donePage, titledPage } from '../../http/form.ts';
import { sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Handlers } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { csrfTokenFor } from '../access/csrf.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { readUnsubscribeKey } from '../domain/mail/mail-choices.ts';
import { changePerson, findPeople } from './administer.ts';
import { ceremonyRoutes } from './ceremony-routes.ts';
import { emailRoutes } from './email-routes.ts';
import { changeMe, deleteAccount, endSession, endSessions, exportAccount, presentMe } from './me.ts';
import type { PeopleParts } from './people-parts.ts';
import { invitePerson, makeResetLink } from './reset-link.ts';
import { type PeopleRouteParts, signInRoutes } from './sign-in-routes.ts';
import { removePasskey, removePassword, renamePasskey, setPassword, unlinkIdentity } from './ways.ts';

function requireKey({ unsubscribeMac }: PeopleParts, key: string) {
  const read = readUnsubscribeKey(unsubscribeMac, key);
  if (read) return read;
  const message = 'This link is not complete: open it from the mail, or sign in and choose under Account.';
  throw new ApiError('not_found', message, {}, 'Link not valid');
}

/** Which mails a user gets: in their account, and by the link of a mail, which needs no sign-in (RFC 8058). */
const mailChoiceRoutes = (deps: PeopleParts) =>
  ({
    myMails: ({ caller }) => deps.mailChoices.of(caller.person.id),
    chooseMails: ({ caller, body }) =>
      deps.unitOfWork(async ({ mailChoices }): Promise<MailChoices> => {
        for (const [topic, choice] of Object.entries(body))
          await mailChoices.set(caller.person.id, topic as MailTopic, choice);
        return mailChoices.of(caller.person.id);
      }),
    unsubscribePage: ({ query: { key } }, c) => {
      const { topic } = requireKey(deps, key);
      const form = html`<form method="post" action="/unsubscribe?key=${key}">
      <p>No more mails of the topic "${MAIL_TOPICS[topic]}"? You can choose again under <a href="/account">Account</a>.</p>
      <button class="main">Unsubscribe</button>
    </form>`;
      return sendPage(c, titledPage('Unsubscribe', form));
    },
    // The key decides, whatever the body is: mail programs send `multipart/form-data` too (RFC 8058 section 3.2).
    unsubscribe: async ({ query: { key } }, c) => {
      const { personId, topic } = requireKey(deps, key);
      await deps.unitOfWork(({ mailChoices }) => mailChoices.set(personId, topic, 'off'));
      const done = html`<p>You get no more mails of the topic "${MAIL_TOPICS[topic]}". Mails about access to your account are still sent.</p>`;
      return sendPage(c, donePage('Unsubscribed', done));
    },
  }) satisfies Handlers;

/** The routes of a signed-in user for their own account. */
const myRoutes = (deps: PeopleRouteParts) => {
  /** The account, after a change. */
  const show = async (c: Context<Env>, caller: PersonCaller, change?: Promise<unknown>) => {
    await change;
    return presentMe(deps, caller, csrfTokenFor(deps, c));
  };
  return {
    me: ({ caller }, c) => show(c, caller),
    changeMe: ({ caller, body }, c) => show(c, caller, changeMe(deps, caller, body)),
    exportMe: async ({ caller }, c) => {
      c.header('Content-Disposition', 'attachment; filename="svc-account.json"');
      return exportAccount(deps, caller);
    },
    deleteMe: async ({ caller }, c) => {
      await deleteAccount(deps, caller);
      deps.cookies.drop(c, 'session');
      return { deleted: true as const };
    },
    setPassword: ({ caller, body }, c) => show(c, caller, setPassword(deps, caller, body)),
    removePassword: ({ caller }, c) => show(c, caller, removePassword(deps, caller)),
    renamePasskey: ({ caller, params, body }, c) =>
      show(c, caller, renamePasskey(deps, caller, params.id, body.label)),
    removePasskey: ({ caller, params }, c) => show(c, caller, removePasskey(deps, caller, params.id)),
    unlinkIdentity: ({ caller, params }, c) => show(c, caller, unlinkIdentity(deps, caller, params.id)),
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
export const peopleRoutes = (deps: PeopleRouteParts) =>
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
