import { html } from 'hono/html';
import type { Page } from '../../http/page.ts';
import { csrfField, emailField, errorLine, hiddenField, nameField, newPasswordField } from './form-page.ts';

export type SignUpPage = {
  csrf: string;
  next: string | undefined;
  /** The fields that were typed before. */
  typed?: { name: string; email: string };
  error?: string;
};

/** The page to create an account, in a store without providers. */
export function signUpPage({ csrf, next, typed, error }: SignUpPage): Page {
  const body = html`<main>
    <h1>Create an account</h1>
    <form method="post" action="/sign-up">
      ${errorLine(error)}
      ${csrfField(csrf)}${hiddenField('next', next)}
      ${nameField(typed?.name)}${emailField(typed?.email)}${newPasswordField()}
      <button class="main">Create account</button>
    </form>
    <p>Already have an account? <a href="/sign-in">Sign in</a>.</p>
  </main>`;
  return { title: 'Create an account', body, formTargets: [] };
}
