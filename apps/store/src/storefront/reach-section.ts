import type { Manifest } from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import { html } from 'hono/html';
import type { Html } from '../http/page.ts';
import { addressOfApp } from './paths.ts';
import { GRANT_WORDS, WORDS } from './words.ts';

const list = (items: readonly (Html | string)[]): Html =>
  html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

const part = (title: string, items: readonly (Html | string)[]): Html | string =>
  items.length === 0 ? '' : html`<h3>${title}</h3>${list(items)}`;

const badge = (text: string): Html => html` <span class="badge">${text}</span>`;

type Tool = NonNullable<Manifest['contributes']['tools']>[number];

function toolItem({ accounts = [] }: Manifest, { name, description, files, confirm, account }: Tool): Html {
  const label = accounts.find(({ id }) => id === account)?.label;
  return html`<strong>${name}</strong>${confirm ? badge(WORDS.asksFirst) : ''}${files && Object.keys(files).length > 0 ? badge(WORDS.files) : ''}${label === undefined ? '' : badge(WORDS.usesAccount(label))}<br>${description}`;
}

const accountItem = ({ label, scopes }: NonNullable<Manifest['accounts']>[number]): Html =>
  html`<strong>${label}</strong>${scopes.map((scope) => html` <code>${scope}</code>`)}`;

function requirements({ requires }: Manifest): Html[] {
  const ids = [...(requires?.apps ?? []), ...(requires?.optional ?? [])].flatMap((entry) =>
    'id' in entry && entry.id !== undefined ? [{ id: entry.id, reason: entry.reason }] : [],
  );
  const urls = (requires?.connectors ?? []).map(({ url, reason }) => ({ host: new URL(url).host, reason }));
  return [
    ...ids.map(({ id, reason }) => html`<a href="${addressOfApp(id)}">${id}</a>: ${reason}`),
    ...urls.map(({ host, reason }) => html`<code>${host}</code>: ${reason}`),
  ];
}

/** What an app may do in its own words, and what it can reach as it was signed. */
export function reachSection(manifest: Manifest): Html {
  const { grants, domains } = signedFootprintOf(manifest);
  const { permissions, accounts = [], contributes } = manifest;
  return html`<section class="reach" aria-labelledby="may">
    <h2 id="may">${WORDS.permissions}</h2>
    ${permissions.length === 0 ? html`<p>${WORDS.noPermissions}</p>` : list(permissions)}
    <details open>
      <summary>${WORDS.reach}</summary>
      ${list(grants.map((grant) => GRANT_WORDS[grant] ?? grant))}
      ${part(
        WORDS.domains,
        domains.map((domain) => html`<code>${domain}</code>`),
      )}
      ${part(WORDS.accounts, accounts.map(accountItem))}
      ${part(
        WORDS.tools,
        (contributes.tools ?? []).map((tool) => toolItem(manifest, tool)),
      )}
      ${part(WORDS.requires, requirements(manifest))}
    </details>
  </section>`;
}
