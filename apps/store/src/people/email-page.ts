import { html } from 'hono/html';
import type { Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { csrfField, emailField, hiddenField } from './form-page.ts';

const pageOf = (title: string, body: Html): Page => ({
  title: `${title}`,
  body,
  formTargets: [],
});

/** Where a person who has forgotten their password asks for a link. */
export const forgottenPage = (csrf: string): Page =>
  pageOf(
    'A forgotten password',
    html`<main>
    <h1>A forgotten password</h1>
    <form method="post" action="/forgotten">
      <p>A link to set a new one comes by mail.</p>
      ${csrfField(csrf)}${emailField()}
      <button class="main">Send it</button>
    </form>
  </main>`,
  );

/** The same whether anybody signs in with the address or not. */
export const forgottenSentPage: Page = pageOf(
  'Look into your mail',
  html`<main><section>
    <h1>Look into your mail</h1>
    <p>If an account here has this address, a link is on its way to it. It works for an hour.</p>
  </section></main>`,
);

/** Where a person shows that a mail has reached them. A button, as programs open the links of mails too. */
export const confirmPage = (csrf: string, key: string, email: string): Page =>
  pageOf(
    'Confirm your email address',
    html`<main>
    <h1>Is this address yours?</h1>
    <form method="post" action="/confirm">
      <p><strong>${email}</strong></p>
      ${csrfField(csrf)}${hiddenField('key', key)}
      <button class="main">Confirm it</button>
      <p class="hint">If you have made no account here, close this page: nothing happens.</p>
    </form>
  </main>`,
  );

/** That it is done. */
export const confirmedPage = (email: string): Page =>
  pageOf(
    'Confirmed',
    html`<main><section>
    <h1>Confirmed</h1>
    <p>What concerns your publishers is sent to ${email} from now on. <a href="/account">Your account</a></p>
  </section></main>`,
  );
