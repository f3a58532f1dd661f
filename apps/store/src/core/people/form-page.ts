import { LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import { csrfField, formPage, hiddenField } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import type { FormFault, Page } from '../../http/page.ts';
import { ACCOUNT } from './may-join.ts';

const { password } = LIMITS.people;

/** The error message of a form. Empty at first: scripts fill it in. */
export const errorLine = (error = ''): Html => html`<p class="fault" role="alert">${error}</p>`;

/** The fields of these forms, each of which shows the error message about it. */
const FIELDS = ['name', 'email', 'password'];

/** The error message of a form that is about none of its fields. */
const formLine = (fault: FormFault | undefined): Html =>
  errorLine(fault && !FIELDS.includes(fault.field ?? '') ? fault.message : '');

/** The error message of a field, and the attributes that lead to it: of the field, whose hint is read too. */
function faultAt(field: string, fault: FormFault | undefined, hint?: string) {
  const described = (ids: readonly string[]) =>
    ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`;
  const hints = hint === undefined ? [] : [hint];
  if (fault?.field !== field) return { line: '', attributes: described(hints) };
  const id = `${field}-fault`;
  return {
    line: html`<p class="fault" id="${id}" role="alert">${fault.message}</p>`,
    attributes: html` aria-invalid="true" autofocus${described([id, ...hints])}`,
  };
}

function nameField(value = '', fault?: FormFault): Html {
  const { line, attributes } = faultAt('name', fault);
  return html`
  <label for="name">Name</label>
  <input id="name" name="name" value="${value}" autocomplete="name" maxlength="${LIMITS.people.name}"${attributes} required>${line}`;
}

export function emailField(value = '', fault?: FormFault): Html {
  const { line, attributes } = faultAt('email', fault);
  return html`
  <label for="email">Email address</label>
  <input id="email" name="email" type="email" value="${value}" autocomplete="username" maxlength="${LIMITS.people.email}"${attributes} required>${line}`;
}

/** @param beside what stands beside the label */
export const passwordField = (beside: Html | string = '', name = 'password'): Html => html`
  <p class="label-line"><label for="password">Password</label> ${beside}</p>
  <input id="password" name="${name}" type="password" autocomplete="current-password" maxlength="${password.max}" required>`;

type NewPassword = {
  label?: string;
  fault?: FormFault | undefined;
  /** The password that was typed before, encrypted: the field may stay empty. */
  kept?: string | undefined;
};

function newPasswordField({ label = 'Password', fault, kept }: NewPassword = {}): Html {
  const { line, attributes } = faultAt('password', fault, 'password-hint');
  const hint =
    kept === undefined
      ? `At least ${password.min} characters, for example four unrelated words.`
      : 'The password that you typed is kept. Type one here only to use another.';
  return html`${hiddenField('kept', kept)}
  <p class="label-line"><label for="password">${label}</label></p>
  <input id="password" name="password" type="password" autocomplete="new-password"
    minlength="${password.min}" maxlength="${password.max}"${attributes}${kept === undefined ? html` required` : html` placeholder="Kept as you typed it"`}>${line}
  <meter max="${password.min}" value="0" aria-label="Characters typed" hidden></meter>
  <p class="hint" id="password-hint">${hint}</p>`;
}

/** A link to each provider. Not a form: a provider may redirect to another host, which the form-action policy would forbid. */
export const providerLinks = (
  providers: Iterable<{ id: string; label: string; isDown?: boolean }>,
  next: string | undefined,
  where: 'here' | 'new tab' = 'here',
): Html => {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  return html`${Array.from(
    providers,
    ({ id, label, isDown }) =>
      html`<a class="button" href="/sign-in/${id}${query}"${where === 'new tab' ? html` target="_blank"` : ''}>Sign in with ${label}</a>
      ${isDown ? html`<p class="hint" role="status">${label} cannot be reached at the moment. The store itself works.</p>` : ''}`,
  )}`;
};

type ResetPage = { csrf: string; key: string; name: string; fault?: FormFault };

/** The page to set a new password, with a link. */
export const resetPage = ({ csrf, key, name, fault }: ResetPage): Page =>
  formPage(
    'Set a new password',
    html`<h1>Set a new password for ${name}</h1>
    <form method="post" action="/reset">
      ${formLine(fault)}
      ${csrfField(csrf)}${hiddenField('key', key)}${newPasswordField({ label: 'New password', fault })}
      <button class="main">Set password</button>
      <p class="hint">This signs you out everywhere, and ends everything that could use your account until now: passkeys, connected accounts, developer tokens (also those that you created for your publishers), and invitations that you sent. You can add them again.</p>
    </form>`,
  );

type SignUpPage = {
  csrf: string;
  next: string | undefined;
  /** The fields that were typed before. */
  typed?: { name: string; email: string };
  kept?: string | undefined;
  fault?: FormFault;
  script: string | undefined;
};

/** The page to create an account, in a store without providers. */
export function signUpPage({ csrf, next, typed, kept, fault, script }: SignUpPage): Page {
  const body = html`<main data-csrf="${csrf}" data-next="${next ?? ''}">
    <h1>Create an account</h1>
    <form method="post" action="/sign-up">
      ${formLine(fault)}
      ${csrfField(csrf)}${hiddenField('next', next)}
      ${nameField(typed?.name, fault)}${emailField(typed?.email, fault)}
      <div data-passkey hidden>
        <button class="main" type="button">Create account with a passkey</button>
        <p class="hint">Your fingerprint, face or PIN, on this device or on your phone: nothing to remember.</p>
        <p class="or">or with a password</p>
      </div>
      ${newPasswordField({ fault, kept })}
      <button class="main">Create account</button>
    </form>
    <p class="hint">Next: your account, where you add ways to sign in, rate apps, or create a publisher.</p>
    <p>Already have an account? <a href="/sign-in">Sign in</a>.</p>
  </main>`;
  return { title: 'Create an account', body, formTargets: [], ...(script && { script }) };
}

type SetupPage = {
  csrf: string;
  key: string;
  providers: readonly { id: string; label: string }[];
  /** The name of the signed-in user. */
  name: string | undefined;
  typed?: { name?: string | undefined; email?: string | undefined };
  kept?: string | undefined;
  fault?: FormFault | undefined;
};

function content({ csrf, key, providers, name, typed, kept, fault }: SetupPage): Html {
  const form = (fields: Html, button: string) => html`<form method="post" action="/setup">
    ${formLine(fault)}
    ${csrfField(csrf)}${hiddenField('key', key)}${fields}
    <button class="main">${button}</button>
  </form>`;
  if (name !== undefined) return form(html`<p>You are signed in as ${name}.</p>`, 'Become the administrator');
  if (providers.length > 0) {
    const next = `/setup?${new URLSearchParams({ key })}`;
    return html`<section><p>Sign in first, then confirm here.</p>${providerLinks(providers, next)}</section>`;
  }
  return form(
    html`${nameField(typed?.name, fault)}${emailField(typed?.email, fault)}${newPasswordField({ fault, kept })}`,
    'Set up the store',
  );
}

/** The page that creates the first administrator of a store. */
export const setupPage = (page: SetupPage): Page =>
  formPage(
    'Set up',
    html`<p class="hint">Step 1 of 3: the account of the administrator</p>
    <h1>Set up this store</h1>
    <p>This store has no administrator yet. The first user to complete this page becomes the administrator. After that the link no longer works.</p>
    ${content(page)}`,
  );

export type SignInPage = {
  csrf: string;
  /** Where to continue, as requested. */
  next: string | undefined;
  providers: readonly { id: string; label: string; isDown: boolean }[];
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
export function signInPage(page: SignInPage): Page {
  const { csrf, next, providers, ssoOnly, script, name, error } = page;
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  const signUp = html`<p>No account yet? <a href="/sign-up${query}">Create one</a>.</p>`;
  const forgotten = page.sendsMail
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
      ${csrfField(csrf)}${hiddenField('next', next)}${emailField(page.email)}${passwordField(forgotten)}
      <button class="main">Sign in</button>
    </form>
  </section>`;
  const body = html`<main data-csrf="${csrf}" data-next="${next ?? ''}">
    <h1>${name === undefined ? `Sign in${goalOf(next)}` : 'Confirm that it is you'}</h1>
    ${name === undefined ? '' : html`<section><p>You are signed in as <bdi>${name}</bdi>. Sign in again to continue: changes of this kind need a proof that is at most ten minutes old.</p></section>`}
    ${providers.length > 0 ? html`<section><h2>${ssoOnly ? 'With the account of your organisation' : 'With another account'}</h2>${providerLinks(providers, next)}</section>` : ''}
    ${ssoOnly ? errorLine(error) : ownWays}
    ${page.signsUp && name === undefined ? signUp : ''}
  </main>`;
  return { title: 'Sign in', body, formTargets: [], ...(script && { script }) };
}

/** The page at the same address for a signed-in user, without the sign-in form. */
export const signedInPage = ({ csrf, next, name }: { csrf: string; next: string; name: string }): Page =>
  formPage(
    'You are signed in',
    html`<section>
      <h1>You are signed in</h1>
      <p>You are signed in as <bdi>${name}</bdi>.</p>
      <p><a class="button main" href="${next}">${next === ACCOUNT ? 'Go to your account' : 'Continue'}</a></p>
    </section>
    <form method="post" action="/sign-out">
      ${csrfField(csrf)}
      <p class="hint">To use another account, sign out first.</p>
      <button>Sign out</button>
    </form>`,
  );
