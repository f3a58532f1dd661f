import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { csrfField, emailField, hiddenField } from './form-page.ts';

const pageOf = (title: string, body: Html): Page => ({
  title: `${title}`,
  body,
  formTargets: [],
});

/** The page to request a link to reset a password. */
export const forgottenPage = (csrf: string): Page =>
  pageOf(
    'Reset your password',
    html`<main>
    <h1>Reset your password</h1>
    <form method="post" action="/forgotten">
      <p>Enter the email address of your account. You get a link to set a new password.</p>
      ${csrfField(csrf)}${emailField()}
      <button class="main">Send link</button>
    </form>
  </main>`,
  );

/** The answer to such a request, the same whether an account has the address or not. */
export const forgottenSentPage: Page = pageOf(
  'Check your email',
  html`<main><section>
    <h1>Check your email</h1>
    <p>If an account has this address, a link is on its way. It is valid for one hour.</p>
  </section></main>`,
);

/** The page to confirm an email address. It needs a click, as programs open the links of mails too. */
export const confirmPage = (csrf: string, key: string, email: string): Page =>
  pageOf(
    'Confirm your email address',
    html`<main>
    <h1>Confirm your email address</h1>
    <form method="post" action="/confirm">
      <p><strong>${email}</strong></p>
      ${csrfField(csrf)}${hiddenField('key', key)}
      <button class="main">Confirm</button>
      <p class="hint">If you did not create an account here, close this page. Nothing changes.</p>
    </form>
  </main>`,
  );

/** The page after a confirmation. */
export const confirmedPage = (email: string): Page =>
  pageOf(
    'Email address confirmed',
    html`<main><section>
    <h1>Email address confirmed</h1>
    <p>Mails about your publishers go to ${email}. <a href="/account">Go to your account</a></p>
  </section></main>`,
  );
