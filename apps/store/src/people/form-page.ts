import { LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../http/html.ts';

const { password } = LIMITS.people;

/** What a form needs to be taken from this browser. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** Something that a form carries along unseen, when there is something. */
export const hiddenField = (name: string, value: string | undefined): Html =>
  value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;

/** What was wrong with the form before; empty at first, as a place for scripts. */
export const faultLine = (fault = ''): Html => html`<p class="fault" role="alert">${fault}</p>`;

export const nameField = (value = ''): Html => html`
  <label for="name">Name</label>
  <input id="name" name="name" value="${value}" autocomplete="name" maxlength="${LIMITS.people.name}" required>`;

export const emailField = (value = ''): Html => html`
  <label for="email">Email address</label>
  <input id="email" name="email" type="email" value="${value}" autocomplete="username" maxlength="${LIMITS.people.email}" required>`;

export const passwordField = (): Html => html`
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" maxlength="${password.most}" required>`;

export const newPasswordField = (label = 'Password'): Html => html`
  <label for="password">${label}</label>
  <input id="password" name="password" type="password" autocomplete="new-password"
    minlength="${password.least}" maxlength="${password.most}" aria-describedby="password-hint" required>
  <p class="hint" id="password-hint">At least ${password.least} characters, such as four words that do not belong together.</p>`;

/** A link to each provider. Not a form: providers lead on to others, which a page's policy would forbid. */
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
