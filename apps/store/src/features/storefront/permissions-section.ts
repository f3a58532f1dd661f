import type { Manifest } from '@svc/contracts';
import { GRANT_WORDS, signedFootprintOf } from '@svc/permissions';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { icon } from '../../http/icon.ts';
import { addressOfApp } from './paths.ts';
import { requirementsOf, type ShownRequirement } from './requirements.ts';
import { WORDS } from './words.ts';

const list = (items: readonly (Html | string)[]): Html =>
  html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

const part = (title: string, items: readonly (Html | string)[]): Html | string =>
  items.length === 0 ? '' : html`<h3>${title}</h3>${list(items)}`;

const badge = (text: string): Html => html` <span class="badge">${text}</span>`;

type Tool = NonNullable<Manifest['contributes']['tools']>[number];

function toolItem({ accounts = [] }: Manifest, { name, description, files, confirm, account }: Tool): Html {
  const label = accounts.find(({ id }) => id === account)?.label;
  return html`<strong>${name}</strong>${confirm ? badge(WORDS.asksFirst) : ''}${files && Object.keys(files).length > 0 ? badge(WORDS.files) : ''}${label === undefined ? '' : badge(WORDS.usesAccount(label))}<br>${withCode(description)}`;
}

const accountItem = ({ label, scopes }: NonNullable<Manifest['accounts']>[number]): Html =>
  html`<strong>${label}</strong>${scopes.map((scope) => html` <code>${scope}</code>`)}`;

/** A requirement, with a link if it is an app of this store. */
function requirementItem({ name, where, reason }: ShownRequirement): Html {
  if (where === 'here') return html`<a href="${addressOfApp(name)}">${name}</a>: ${reason}`;
  return html`<code>${name}</code>${where === 'elsewhere' ? '' : badge(WORDS.where[where])}: ${reason}`;
}

const group = (picture: string, title: string, text: Html | string): Html =>
  html`<li>${icon(picture)}<strong>${title}</strong><p>${text}</p></li>`;

/** A summary of the permissions: the data an app sees, the hosts it contacts, the tools it adds. */
function groups({ accounts = [], contributes, grants = [] }: Manifest, domains: readonly string[]): Html {
  const tools = contributes.tools ?? [];
  const labels = accounts.map(({ label }) => label).join(', ');
  const files = grants.includes('files:receive') ? WORDS.filesGroup : WORDS.noFiles;
  const toolText =
    tools.length === 0
      ? WORDS.noTools
      : WORDS.toolsGroup(tools.length, tools.filter(({ confirm }) => confirm !== undefined).length);
  return html`<ul class="permission-groups">
    ${group('file-text', WORDS.groups.data, `${files}${labels === '' ? '' : ` ${WORDS.accountsGroup(labels)}`}`)}
    ${group('globe', WORDS.groups.hosts, domains.join(', '))}
    ${group('wrench', WORDS.groups.tools, toolText)}
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
    <h2 id="permissions">${WORDS.permissions}</h2>
    ${groups(manifest, domains)}
    ${permissions.length === 0 ? html`<p>${WORDS.noPermissions}</p>` : html`<details><summary>${WORDS.inItsWords}</summary>${list(permissions)}</details>`}
    <details>
      <summary>${WORDS.allPermissions}</summary>
      ${list(allGrants.map((grant) => WORDS.may(GRANT_WORDS[grant] ?? grant)))}
      ${part(
        WORDS.domains,
        domains.map((domain) => html`<code>${domain}</code>`),
      )}
      ${part(WORDS.accounts, accounts.map(accountItem))}
      ${part(
        WORDS.tools,
        (contributes.tools ?? []).map((tool) => toolItem(manifest, tool)),
      )}
      ${part(WORDS.required, required.map(requirementItem))}
      ${part(WORDS.optional, optional.map(requirementItem))}
    </details>
  </section>`;
}
