import { html } from 'hono/html';
import type { Page } from '../../http/page.ts';
import { csrfField, errorLine, hiddenField, newPasswordField } from './form-page.ts';

export type ResetPage = { csrf: string; key: string; name: string; error?: string };

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
