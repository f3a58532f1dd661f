import { html } from 'hono/html';
import type { Page } from '../http/page.ts';
import { csrfField, faultLine, hiddenField, newPasswordField } from './form-page.ts';

export type ResetPage = { csrf: string; key: string; name: string; fault?: string };

/** Where a person sets a new password, with a link. */
export function resetPage({ csrf, key, name, fault }: ResetPage): Page {
  const body = html`<main>
    <h1>A new password for ${name}</h1>
    <form method="post" action="/reset">
      ${faultLine(fault)}
      ${csrfField(csrf)}${hiddenField('key', key)}${newPasswordField('New password')}
      <button class="main">Set it</button>
      <p class="hint">You are signed out everywhere else.</p>
    </form>
  </main>`;
  return { title: 'A new password', body, formTargets: [] };
}
