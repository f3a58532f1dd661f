import { LIMITS, type Me } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html, Page } from '../http/page.ts';
import { csrfField, faultLine, newPasswordField } from './form-page.ts';

const day = (time: string): string => time.slice(0, 10);

type Change = { method: string; path: string; leadsTo?: string };

/** A form whose fields the page's script sends as JSON. */
const change = ({ method, path, leadsTo }: Change, fields: Html, button: string, kind = ''): Html => html`
  <form data-does="change" data-method="${method}" data-path="${path}" data-leads-to="${leadsTo ?? ''}" hidden>
    ${fields}${faultLine()}<button class="${kind}">${button}</button>
  </form>`;

const remove = (path: string, button: string): Html =>
  change({ method: 'DELETE', path }, html``, button, 'bad');

const passkeys = ({ passkeys }: Me): Html => html`<section>
  <h2>Passkeys</h2>
  ${passkeys.map(
    ({ id, label, createdAt, lastUsedAt }) => html`
      <p>${label} <span class="hint">since ${day(createdAt)}${lastUsedAt === null ? '' : `, last used ${day(lastUsedAt)}`}</span></p>
      ${remove(`/api/people/me/passkeys/${encodeURIComponent(id)}`, `Remove ${label}`)}`,
  )}
  <form data-does="passkey.add" hidden>
    <label for="label">What to call a new one</label>
    <input id="label" name="label" maxlength="${LIMITS.people.passkeyLabel}" placeholder="My phone" required>
    ${faultLine()}
    <button class="main">Add a passkey</button>
  </form>
</section>`;

const identities = ({ identities, providers }: Me): Html =>
  identities.length + providers.length === 0
    ? html``
    : html`<section>
  <h2>Accounts elsewhere</h2>
  ${identities.map(
    ({ id, provider, account }) => html`
      <p>${provider} <span class="hint">${account}</span></p>
      ${remove(`/api/people/me/identities/${encodeURIComponent(id)}`, `Remove ${account}`)}`,
  )}
  ${providers.map(
    ({ id, label }) => html`<form data-does="identity.add" data-path="/api/people/me/identities/${id}" hidden>
      ${faultLine()}<button>Add an account at ${label}</button>
    </form>`,
  )}
</section>`;

const present = html`
  <label for="current">Present password</label>
  <input id="current" name="current" type="password" autocomplete="current-password" required>`;

const password = ({ hasPassword, providers }: Me): Html =>
  hasPassword || providers.length === 0
    ? html`<section>
  <h2>Password</h2>
  ${change(
    { method: 'PUT', path: '/api/people/me/password' },
    html`${hasPassword ? present : ''}${newPasswordField('New password')}`,
    hasPassword ? 'Change it' : 'Set it',
  )}
  ${hasPassword ? remove('/api/people/me/password', 'Remove my password') : ''}
</section>`
    : html``;

const sessions = ({ sessions, csrf }: Me): Html => html`<section>
  <h2>Signed in</h2>
  ${sessions.map(
    ({ id, current, agent, address, lastSeenAt }) => html`
      <p>${agent === '' ? 'A browser' : agent} <span class="hint">${address ?? ''} ${current ? 'this one' : `last used ${day(lastSeenAt)}`}</span></p>
      ${current ? '' : remove(`/api/people/me/sessions/${encodeURIComponent(id)}`, 'Sign out there')}`,
  )}
  <form method="post" action="/sign-out">${csrfField(csrf)}<button>Sign out</button></form>
  ${change({ method: 'DELETE', path: '/api/people/me/sessions', leadsTo: '/sign-in' }, html``, 'Sign out everywhere', 'bad')}
</section>`;

/** What somebody sees and changes of their own account. */
export function accountPage(me: Me, script: string | undefined): Page {
  const acts = me.memberships.map(({ name, role }) => html`<li>${name} (${role})</li>`);
  const body = html`<main data-csrf="${me.csrf}">
    <h1>${me.name}</h1>
    <section>
      <p>${me.email ?? 'No email address'}${me.role === 'person' ? '' : `, ${me.role}`}</p>
      ${acts.length > 0 ? html`<p>You act for:</p><ul>${acts}</ul>` : ''}
    </section>
    ${passkeys(me)}${identities(me)}${password(me)}${sessions(me)}
    <noscript><p class="hint">Changes on this page need its script.</p></noscript>
  </main>`;
  return { title: 'Your account · svc app store', body, formTargets: [], ...(script && { script }) };
}
