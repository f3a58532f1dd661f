import type { MailChoices, MailTopic } from '@svc/contracts';
import { html } from 'hono/html';
import type { Handlers } from '../../access/bind-route.ts';
import { type MailChoiceStore, readUnsubscribeKey } from '../../domain/mail/mail-choices.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Mac } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';

export type ChoiceDeps = {
  mailChoices: MailChoiceStore;
  unsubscribeMac: Mac;
  unitOfWork: UnitOfWork<{ mailChoices: MailChoiceStore }>;
};

const TOPIC_WORDS: Readonly<Record<MailTopic, string>> = {
  reviews: 'reviews of versions',
  appeals: 'appeals and reports',
  apps: 'apps and publishers',
  moderation: 'what waits for moderators',
};

const pageOf = (title: string, body: Page['body']): Page => ({ title, body, formTargets: [] });

function requireKey({ unsubscribeMac }: ChoiceDeps, key: string) {
  const read = readUnsubscribeKey(unsubscribeMac, key);
  if (read) return read;
  const message = 'This link is not complete: open it from the mail, or sign in and choose under Account.';
  throw new ApiError('not_found', message, {}, 'Link not valid');
}

/** Which mails a user gets: in their account, and by the link of a mail, which needs no sign-in (RFC 8058). */
export const mailChoiceRoutes = (deps: ChoiceDeps) =>
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
      const body = html`<main>
    <h1>Unsubscribe</h1>
    <form method="post" action="/unsubscribe?key=${key}">
      <p>No more mails about ${TOPIC_WORDS[topic]}? You can choose again under <a href="/account">Account</a>.</p>
      <button class="main">Unsubscribe</button>
    </form>
  </main>`;
      return sendPage(c, pageOf('Unsubscribe', body));
    },
    // The key decides, whatever the body is: mail programs send `multipart/form-data` too (RFC 8058 section 3.2).
    unsubscribe: async ({ query: { key } }, c) => {
      const { personId, topic } = requireKey(deps, key);
      await deps.unitOfWork(({ mailChoices }) => mailChoices.set(personId, topic, 'off'));
      const body = html`<main><section>
    <h1>Unsubscribed</h1>
    <p>You get no more mails about ${TOPIC_WORDS[topic]}. Mails about access to your account are still sent.</p>
  </section></main>`;
      return sendPage(c, pageOf('Unsubscribed', body));
    },
  }) satisfies Handlers;
