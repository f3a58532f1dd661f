import { html } from 'hono/html';
import type { Page } from '../../http/page.ts';
import { csrfField, emailField, errorLine, hiddenField, passwordField, providerLinks } from './form-page.ts';
import { ACCOUNT } from './may-join.ts';

export type SignInPage = {
  csrf: string;
  /** Where to continue, as requested. */
  next: string | undefined;
  providers: readonly { id: string; label: string }[];
  /** Whether a visitor may create an account with a password. */
  signsUp: boolean;
  /** Whether the store can send a link to reset a password. */
  sendsMail: boolean;
  /** Whether users sign in with the providers alone. */
  ssoOnly: boolean;
  script: string | undefined;
  /** The name of the signed-in user, who has to prove their identity again. */
  name?: string | undefined;
  /** The email address that was typed before. */
  email?: string;
  error?: string;
};

/** Where a visitor goes next, for the heading: what the page that led here is for. */
const GOALS = [
  ['/account/publishers', ' to publish'],
  ['/account/apps/', ' to rate or report an app'],
  ['/device', ' to connect a device'],
  ['/moderation', ' to review versions'],
  ['/admin', ' to administer the store'],
  ['/invitations', ' to accept an invitation'],
] as const;

const goalOf = (next: string | undefined): string =>
  GOALS.find(([path]) => next?.startsWith(path))?.[1] ?? '';

/** The page to sign in, with all methods of the store. */
export function signInPage({
  csrf,
  next,
  providers,
  signsUp,
  sendsMail,
  ssoOnly,
  script,
  name,
  email,
  error,
}: SignInPage): Page {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  const signUp = html`<p>No account yet? <a href="/sign-up${query}">Create one</a>.</p>`;
  const forgotten = sendsMail
    ? html`<a href="/forgotten">Forgot it?</a>`
    : html`<span title="Ask the operator of this store for a link to set a new one">Forgot it? Ask the operator.</span>`;
  const ownWays = html`<section class="ways">
    <form data-passkey hidden>
      <button class="main">Use a passkey</button>
      <p class="hint">Your fingerprint, face or PIN, on this device or on your phone.</p>
      ${errorLine()}
      <p class="or">or</p>
    </form>
    <form method="post" action="/sign-in">
      ${errorLine(error)}
      ${csrfField(csrf)}${hiddenField('next', next)}${emailField(email)}${passwordField(forgotten)}
      <button class="main">Sign in</button>
    </form>
  </section>`;
  const body = html`<main data-csrf="${csrf}" data-next="${next ?? ''}">
    <h1>${name === undefined ? `Sign in${goalOf(next)}` : 'Confirm that it is you'}</h1>
    ${name === undefined ? '' : html`<section><p>You are signed in as <bdi>${name}</bdi>. Sign in again to continue: a change to who has access needs a proof that is at most ten minutes old.</p></section>`}
    ${providers.length > 0 ? html`<section><h2>${ssoOnly ? 'With the account of your organisation' : 'With another account'}</h2>${providerLinks(providers, next)}</section>` : ''}
    ${ssoOnly ? errorLine(error) : ownWays}
    ${signsUp && name === undefined ? signUp : ''}
  </main>`;
  return { title: 'Sign in', body, formTargets: [], ...(script && { script }) };
}

/** The page at the same address for a signed-in user, without the sign-in form. */
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
      <p class="hint">To use another account, sign out first.</p>
      <button>Sign out</button>
    </form>
  </main>`,
  formTargets: [],
});
