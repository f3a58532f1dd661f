import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import {
  csrfField,
  emailField,
  errorLine,
  hiddenField,
  nameField,
  newPasswordField,
  providerLinks,
} from './form-page.ts';

export type SetupPage = {
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
    <h1>Set up this store</h1>
    <p>This store has no administrator yet. The first user to complete this page becomes the administrator. After that the link no longer works.</p>
    ${content(page)}
  </main>`;
  return { title: 'Set up', body, formTargets: [] };
}
