import type { Manifest } from '@svc/contracts';
import { GRANT_WORDS, signedFootprintOf } from '@svc/permissions';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { icon } from '../../http/icon.ts';
import { addressOfApp } from './paths.ts';
import { requirementsOf, type ShownRequirement } from './requirements.ts';

const toolsGroupText = (count: number, confirmed: number) =>
  `${count} ${count === 1 ? 'tool' : 'tools'}${confirmed === 0 ? '' : `, ${confirmed} of which ${confirmed === 1 ? 'asks' : 'ask'} you first`}.`;

const WHERE = { 'built-in': 'built in', missing: 'not in this store' } as const;

const list = (items: readonly (Html | string)[]): Html =>
  html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

const part = (title: string, items: readonly (Html | string)[]): Html | string =>
  items.length === 0 ? '' : html`<h3>${title}</h3>${list(items)}`;

const badge = (text: string): Html => html` <span class="badge">${text}</span>`;

type Tool = NonNullable<Manifest['contributes']['tools']>[number];

function toolItem({ accounts = [] }: Manifest, { name, description, files, confirm, account }: Tool): Html {
  const label = accounts.find(({ id }) => id === account)?.label;
  return html`<strong>${name}</strong>${confirm ? badge('asks you first') : ''}${files && Object.keys(files).length > 0 ? badge('uses files') : ''}${label === undefined ? '' : badge(`uses ${label}`)}<br>${withCode(description)}`;
}

const accountItem = ({ label, scopes }: NonNullable<Manifest['accounts']>[number]): Html =>
  html`<strong>${label}</strong>${scopes.map((scope) => html` <code>${scope}</code>`)}`;

/** A requirement, with a link if it is an app of this store. */
function requirementItem({ name, where, reason }: ShownRequirement): Html {
  if (where === 'here') return html`<a href="${addressOfApp(name)}">${name}</a>: ${reason}`;
  return html`<code>${name}</code>${where === 'elsewhere' ? '' : badge(WHERE[where])}: ${reason}`;
}

const group = (picture: string, title: string, text: Html | string): Html =>
  html`<li>${icon(picture)}<strong>${title}</strong><p>${text}</p></li>`;

/** A summary of the permissions: the data an app sees, the hosts it contacts, the tools it adds. */
function groups({ accounts = [], contributes, grants = [] }: Manifest, domains: readonly string[]): Html {
  const tools = contributes.tools ?? [];
  const labels = accounts.map(({ label }) => label).join(', ');
  const files = grants.includes('files:receive')
    ? 'Files that you or the agent pass to it.'
    : 'The input that you or the agent give to its tools.';
  const toolText =
    tools.length === 0
      ? 'None.'
      : toolsGroupText(tools.length, tools.filter(({ confirm }) => confirm !== undefined).length);
  return html`<ul class="permission-groups">
    ${group('file-text', 'Data it can see', `${files}${labels === '' ? '' : ` Accounts that you connect: ${labels}.`}`)}
    ${group('globe', 'Hosts it contacts', domains.join(', '))}
    ${group('wrench', 'Tools it adds to your chat', toolText)}
  </ul>`;
}

/** Text of an app with `code` marked. The template escapes all of it. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/**
 * The permissions of an app: in the words of its publisher, and as signed, in the words of the store.
 * @param inStore the apps named in the manifest that this store lists
 */
export function permissionsSection(manifest: Manifest, inStore: ReadonlySet<string>): Html {
  const { grants, domains } = signedFootprintOf(manifest);
  // Every app has storage, listed or not (SPEC 2.3).
  const allGrants = [...new Set(['storage', ...grants])];
  const { permissions, accounts = [], contributes } = manifest;
  const { required, optional } = requirementsOf(manifest, inStore);
  return html`<section class="permissions" aria-labelledby="permissions">
    <h2 id="permissions">Permissions</h2>
    ${groups(manifest, domains)}
    ${permissions.length === 0 ? html`<p>No permissions beyond its own storage.</p>` : html`<details><summary>In the words of its publisher</summary>${list(permissions)}</details>`}
    <details>
      <summary>Technical details</summary>
      ${list(allGrants.map((grant) => `May ${GRANT_WORDS[grant] ?? grant}`))}
      ${part(
        'Contacts',
        domains.map((domain) => html`<code>${domain}</code>`),
      )}
      ${part('Accounts you connect', accounts.map(accountItem))}
      ${part(
        'Tools',
        (contributes.tools ?? []).map((tool) => toolItem(manifest, tool)),
      )}
      ${part('Requires', required.map(requirementItem))}
      ${part('Optional', optional.map(requirementItem))}
    </details>
  </section>`;
}
