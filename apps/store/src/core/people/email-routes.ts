import { html } from 'hono/html';
import { csrfField, donePage, hiddenField, titledPage } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import { setSessionCookie, visitOf } from '../access/authorise.ts';
import type { Handlers } from '../access/bind-route.ts';
import { csrfTokenFor } from '../access/csrf.ts';
import type { Person } from '../domain/identity/person-store.ts';
import {
  changeAddress,
  confirmEmail,
  readAddressLink,
  readConfirmLink,
  requestAddress,
  sendConfirmation,
} from './change-address.ts';
import { emailField } from './form-page.ts';
import { requireOwnWays } from './provider-access.ts';
import { recoveryPage, sendResetLink } from './reset-link.ts';
import type { PeopleRouteParts } from './sign-in-routes.ts';

/** The page to request a link to reset a password. */
const forgottenPage = (csrf: string): Page =>
  titledPage(
    'Reset your password',
    html`<form method="post" action="/forgotten">
      <p>Enter the email address of your account. You get a link to set a new password.</p>
      ${csrfField(csrf)}${emailField()}
      <button class="main">Send link</button>
    </form>`,
  );

/** The answer to such a request, the same whether an account has the address or not. */
const forgottenSentPage: Page = donePage(
  'Check your email',
  html`<p>If an account has this address, a link is on its way. It is valid for one hour.</p>`,
);

/** Which account a page is about, and since when it exists. */
const accountLine = ({ name, createdAt }: Pick<Person, 'name' | 'createdAt'>): Html =>
  html`<p>Account: <strong>${name}</strong>, created on ${createdAt.slice(0, 10)}</p>`;

/** The page to confirm an email address. It needs a click, as programs open the links of mails too. */
const confirmPage = (csrf: string, key: string, person: Person & { email: string }): Page =>
  titledPage(
    'Confirm your email address',
    html`<form method="post" action="/confirm">
      ${accountLine(person)}
      <p>Address: <strong>${person.email}</strong></p>
      ${csrfField(csrf)}${hiddenField('key', key)}
      <button class="main">Confirm</button>
      <p class="hint">If this is not your account, close this page. Nothing changes.</p>
    </form>`,
  );

/** The page to change the email address of an account. */
const addressPage = (csrf: string, key: string, { person, email }: { person: Person; email: string }): Page =>
  titledPage(
    'Change your email address',
    html`<form method="post" action="/change-address">
      ${accountLine(person)}
      <p>Present address: <strong>${person.email ?? 'none'}</strong></p>
      <p>New address: <strong>${email}</strong></p>
      ${csrfField(csrf)}${hiddenField('key', key)}
      <button class="main">Change address</button>
      <p class="hint">This signs you out everywhere else, and ends everything else that could use your account until now: passkeys, connected accounts, developer tokens (also those that you created for your publishers), and invitations that you sent. Your password stays. You can add the others again.</p>
    </form>`,
  );

/** The page after such a change. */
const addressChangedPage = (email: string, next: string): Page =>
  donePage(
    'Email address changed',
    html`<p>Sign in with ${email} from now on. ${next === '/account' ? html`<a href="/account">Your account</a>` : html`<a href="${next}">See what was done in your name in the last 30 days</a>`}</p>`,
  );

/** The page after a confirmation. */
const confirmedPage = (email: string): Page =>
  donePage(
    'Email address confirmed',
    html`<p>Mails about your publishers go to ${email}. <a href="/account">Go to your account</a></p>`,
  );

/** Without a mail server the link would only be in the log, where others read it. */
function requireMail({ sendsMail }: Pick<PeopleRouteParts, 'sendsMail'>): void {
  if (sendsMail) return;
  throw new ApiError(
    'not_found',
    'This store sends no mail: ask its operator for a link to set a new password.',
    {},
    'Password reset by mail is not available',
  );
}

/** Resetting a password, and confirming and changing an email address by mail. */
export const emailRoutes = (deps: PeopleRouteParts) =>
  ({
    forgottenPage: (_request, c) => {
      requireOwnWays(deps.providers);
      requireMail(deps);
      return sendPage(c, forgottenPage(csrfTokenFor(deps, c)));
    },
    forgotten: async ({ form }, c) => {
      requireOwnWays(deps.providers);
      requireMail(deps);
      await sendResetLink(deps, form.email, await visitOf(deps, c), deps.cookies.get(c, 'browser'));
      return sendPage(c, forgottenSentPage);
    },
    confirmPage: async ({ caller, query: { key } }, c) => {
      const person = await readConfirmLink(deps, deps, caller, key);
      return sendPage(c, confirmPage(csrfTokenFor(deps, c), key, person));
    },
    confirm: async ({ caller, form }, c) =>
      sendPage(c, confirmedPage(await confirmEmail(deps, caller, form.key))),
    requestAddress: async ({ caller, body }) => {
      requireMail(deps);
      return { sentTo: await requestAddress(deps, caller, body.email) };
    },
    addressPage: async ({ caller, query: { key } }, c) => {
      const link = await readAddressLink(deps, deps, caller, key);
      return sendPage(c, addressPage(csrfTokenFor(deps, c), key, link));
    },
    changeAddress: async ({ caller, form }, c) => {
      const { secret, email } = await changeAddress(deps, caller, form.key, await visitOf(deps, c));
      setSessionCookie(deps, c, secret);
      return sendPage(c, addressChangedPage(email, recoveryPage(deps)));
    },
    sendConfirmation: async ({ caller }) => {
      requireMail(deps);
      return { sentTo: await sendConfirmation(deps, caller) };
    },
  }) satisfies Handlers;
