import { html } from 'hono/html';
import type { Page } from '../http/page.ts';
import { csrfField, emailField, faultLine, hiddenField, passwordField, providerLinks } from './form-page.ts';
import { ACCOUNT } from './safe-next.ts';

export type SignInPage = {
  csrf: string;
  /** Where to go on to, as it was asked. */
  next: string | undefined;
  providers: readonly { id: string; label: string }[];
  /** Whether a visitor may make an account here, with a password. */
  signsUp: boolean;
  /** Whether a link for a forgotten password can be sent. */
  sendsMail: boolean;
  script: string | undefined;
  /** What was typed before, and what was wrong with it. */
  email?: string;
  fault?: string;
};

/** Where people sign in, by all ways that the store has. */
export function signInPage({
  csrf,
  next,
  providers,
  signsUp,
  sendsMail,
  script,
  email,
  fault,
}: SignInPage): Page {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  const signUp = html`<p>No account yet? <a href="/sign-up${query}">Make one</a>.</p>`;
  const body = html`<main data-csrf="${csrf}" data-next="${next ?? ''}">
    <h1>Sign in</h1>
    ${providers.length > 0 ? html`<section><h2>With an account elsewhere</h2>${providerLinks(providers, next)}</section>` : ''}
    <form data-passkey hidden>
      <h2>With a passkey</h2>
      <p class="hint">A finger, a face or a PIN on this device or on your phone. There is nothing to type.</p>
      ${faultLine()}
      <button class="main">Use a passkey</button>
    </form>
    <form method="post" action="/sign-in">
      <h2>With a password</h2>
      ${faultLine(fault)}
      ${csrfField(csrf)}${hiddenField('next', next)}${emailField(email)}${passwordField()}
      <button class="main">Sign in</button>
      <p class="hint">${sendsMail ? html`<a href="/forgotten">Forgotten?</a>` : 'Forgotten? Ask the operator of this store for a link to set a new one.'}</p>
    </form>
    ${signsUp ? signUp : ''}
  </main>`;
  return { title: 'Sign in', body, formTargets: [], ...(script && { script }) };
}

/** The same address for a person who is signed in: the form would only make them wonder. */
export const signedInPage = ({ csrf, next, name }: { csrf: string; next: string; name: string }): Page => ({
  title: 'You are signed in',
  body: html`<main>
    <section>
      <h1>You are signed in</h1>
      <p>You are signed in as <bdi>${name}</bdi>.</p>
      <p><a class="button main" href="${next}">${next === ACCOUNT ? 'Go to your account' : 'Continue'}</a></p>
    </section>
    <form method="post" action="/sign-out">
      ${csrfField(csrf)}
      <p class="hint">To sign in as another person, sign out first.</p>
      <button>Sign out</button>
    </form>
  </main>`,
  formTargets: [],
});
