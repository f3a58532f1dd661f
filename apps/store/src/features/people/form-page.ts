import { LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';

const { password } = LIMITS.people;

/** The CSRF token of a form. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** A hidden field; nothing without a value. */
export const hiddenField = (name: string, value: string | undefined): Html =>
  value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;

/** The error message of a form. Empty at first: scripts fill it in. */
export const errorLine = (error = ''): Html => html`<p class="fault" role="alert">${error}</p>`;

export const nameField = (value = ''): Html => html`
  <label for="name">Name</label>
  <input id="name" name="name" value="${value}" autocomplete="name" maxlength="${LIMITS.people.name}" required>`;

export const emailField = (value = ''): Html => html`
  <label for="email">Email address</label>
  <input id="email" name="email" type="email" value="${value}" autocomplete="username" maxlength="${LIMITS.people.email}" required>`;

export const passwordField = (): Html => html`
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" maxlength="${password.max}" required>`;

export const newPasswordField = (label = 'Password'): Html => html`
  <label for="password">${label}</label>
  <input id="password" name="password" type="password" autocomplete="new-password"
    minlength="${password.min}" maxlength="${password.max}" aria-describedby="password-hint" required>
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
