import { LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';

const { password } = LIMITS.people;

/** The CSRF token of a form. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** A hidden field; nothing without a value. */
export const hiddenField = (name: string, value: string | undefined): Html =>
  value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;

/** The error message of a form. Empty at first: scripts fill it in. */
export const errorLine = (error = ''): Html => html`<p class="fault" role="alert">${error}</p>`;

const nameField = (value = ''): Html => html`
  <label for="name">Name</label>
  <input id="name" name="name" value="${value}" autocomplete="name" maxlength="${LIMITS.people.name}" required>`;

export const emailField = (value = ''): Html => html`
  <label for="email">Email address</label>
  <input id="email" name="email" type="email" value="${value}" autocomplete="username" maxlength="${LIMITS.people.email}" required>`;

/** @param beside what stands beside the label */
export const passwordField = (beside: Html | string = ''): Html => html`
  <p class="label-line"><label for="password">Password</label> ${beside}</p>
  <input id="password" name="password" type="password" autocomplete="current-password" maxlength="${password.max}" required>`;

const newPasswordField = (label = 'Password'): Html => html`
  <p class="label-line"><label for="password">${label}</label></p>
  <input id="password" name="password" type="password" autocomplete="new-password"
    minlength="${password.min}" maxlength="${password.max}" aria-describedby="password-hint" required>
  <meter max="${password.min}" value="0" aria-label="Characters typed" hidden></meter>
  <p class="hint" id="password-hint">At least ${password.min} characters, for example four unrelated words.</p>`;

/** A link to each provider. Not a form: a provider may redirect to another host, which the form-action policy would forbid. */
export const providerLinks = (
  providers: Iterable<{ id: string; label: string }>,
  next: string | undefined,
): Html => {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  return html`${Array.from(
    providers,
    ({ id, label }) => html`<a class="button" href="/sign-in/${id}${query}">Sign in with ${label}</a>`,
  )}`;
};

type ResetPage = { csrf: string; key: string; name: string; error?: string };

/** The page to set a new password, with a link. */
export function resetPage({ csrf, key, name, error }: ResetPage): Page {
  const body = html`<main>
    <h1>Set a new password for ${name}</h1>
    <form method="post" action="/reset">
      ${errorLine(error)}
      ${csrfField(csrf)}${hiddenField('key', key)}${newPasswordField('New password')}
      <button class="main">Set password</button>
      <p class="hint">This signs you out everywhere, and ends everything that could use your account until now: passkeys, connected accounts, developer tokens (also those that you created for your publishers), and invitations that you sent. You can add them again.</p>
    </form>
  </main>`;
  return { title: 'Set a new password', body, formTargets: [] };
}

type SignUpPage = {
  csrf: string;
  next: string | undefined;
  /** The fields that were typed before. */
  typed?: { name: string; email: string };
  error?: string;
  script: string | undefined;
};

/** The page to create an account, in a store without providers. */
export function signUpPage({ csrf, next, typed, error, script }: SignUpPage): Page {
  const body = html`<main data-csrf="${csrf}" data-next="${next ?? ''}">
    <h1>Create an account</h1>
    <form method="post" action="/sign-up">
      ${errorLine(error)}
      ${csrfField(csrf)}${hiddenField('next', next)}
      ${nameField(typed?.name)}${emailField(typed?.email)}
      <div data-passkey hidden>
        <button class="main" type="button">Create account with a passkey</button>
        <p class="hint">Your fingerprint, face or PIN, on this device or on your phone: nothing to remember.</p>
        <p class="or">or with a password</p>
      </div>
      ${newPasswordField()}
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
  error?: string | undefined;
};

function content({ csrf, key, providers, name, typed, error }: SetupPage): Html {
  const form = (fields: Html, button: string) => html`<form method="post" action="/setup">
    ${errorLine(error)}
    ${csrfField(csrf)}${hiddenField('key', key)}${fields}
    <button class="main">${button}</button>
  </form>`;
  if (name !== undefined) return form(html`<p>You are signed in as ${name}.</p>`, 'Become the administrator');
  if (providers.length > 0) {
    const next = `/setup?${new URLSearchParams({ key })}`;
    return html`<section><p>Sign in first, then confirm here.</p>${providerLinks(providers, next)}</section>`;
  }
  return form(
    html`${nameField(typed?.name)}${emailField(typed?.email)}${newPasswordField()}`,
    'Set up the store',
  );
}

/** The page that creates the first administrator of a store. */
export function setupPage(page: SetupPage): Page {
  const body = html`<main>
    <p class="hint">Step 1 of 3: the account of the administrator</p>
    <h1>Set up this store</h1>
    <p>This store has no administrator yet. The first user to complete this page becomes the administrator. After that the link no longer works.</p>
    ${content(page)}
  </main>`;
  return { title: 'Set up', body, formTargets: [] };
}
