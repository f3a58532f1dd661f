import { html } from 'hono/html';
import type { Page } from '../http/page.ts';
import { csrfField, emailField, faultLine, hiddenField, nameField, newPasswordField } from './form-page.ts';

export type SignUpPage = {
  csrf: string;
  next: string | undefined;
  /** What was typed before, and what was wrong with it. */
  typed?: { name: string; email: string };
  fault?: string;
};

/** Where people make an account, in a store that has no provider. */
export function signUpPage({ csrf, next, typed, fault }: SignUpPage): Page {
  const body = html`<main>
    <h1>Make an account</h1>
    <form method="post" action="/sign-up">
      ${faultLine(fault)}
      ${csrfField(csrf)}${hiddenField('next', next)}
      ${nameField(typed?.name)}${emailField(typed?.email)}${newPasswordField()}
      <button class="main">Make it</button>
    </form>
    <p>You have one? <a href="/sign-in">Sign in</a>.</p>
  </main>`;
  return { title: 'Make an account', body, formTargets: [] };
}
