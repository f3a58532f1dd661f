import { LIMITS, TOKEN_SCOPES, type TokenScope } from '@svc/contracts';
import { html } from 'hono/html';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { DeviceGrant, DeviceRecord } from '../domain/identity/device-store.ts';
import type { Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { LookedAt } from './approve-device.ts';
import { shownUserCode } from './device-code.ts';

const { days } = LIMITS.tokens;

/** What each scope lets a token do, in words for the person who approves it. */
const MAY: Record<TokenScope, string> = {
  'publish:new': 'Publish apps that are new',
  'publish:update': 'Publish new versions of apps',
  yank: 'Withdraw versions',
  status: 'Follow how versions fare',
  read: 'See apps and download them, where the store is for members',
};

/** Forms lead nowhere but to the store. */
const page = (title: string, body: Html): Page => ({
  title: `${title}`,
  body: html`<main>${body}</main>`,
  formTargets: [],
});

/**
 * The page that asks for a code. What is filled in beforehand does nothing until a person sends it.
 * @param fault what was wrong with the code before
 */
export const codePage = (caller: PersonCaller, csrf: string, code = '', fault = ''): Page =>
  page(
    'Sign in a device',
    html`<form method="post" action="/device">
      <h1>Sign in a device</h1>
      <p>A program such as <code>svc login</code> shows a code of eight letters. Compare it, or type it here.</p>
      <input type="hidden" name="csrf" value="${csrf}">
      <label for="code">Code</label>
      <input id="code" class="code" name="code" value="${code}" placeholder="XXXX-XXXX" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false"${fault === '' ? '' : html` aria-invalid="true" aria-describedby="fault"`}>
      ${fault === '' ? '' : html`<p id="fault" class="fault" role="alert">${fault}</p>`}
      <button class="main">Go on</button>
      <p class="hint">You are signed in as ${caller.person.name}. Go on only if you started the sign-in yourself: another person who gave you the code would act in your name.</p>
    </form>`,
  );

const MINUTE = 60;

function ago(then: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(then)) / 1000));
  const [count, unit] = seconds < MINUTE ? [seconds, 'second'] : [Math.floor(seconds / MINUTE), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** The machine itself, which has an address in IPv4 and one in IPv6 (RFC 5735, RFC 4291): `localhost` leads to either. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

/** Where it was asked from, and whether the person is there too: a code that another person sent them comes from elsewhere. */
function place({ address }: DeviceRecord, { from }: PersonCaller): string {
  if (address === null) return 'not known';
  if (address === from.address) return `${address}, as you`;
  if (from.address !== null && isLoopback(address) && isLoopback(from.address))
    return `${address}, this machine, as you`;
  return from.address === null ? address : `${address}, while you are at ${from.address}`;
}

const scopeBox = (scope: TokenScope) => html`
  <label class="choice"><input type="checkbox" name="${scope}" checked> <span>${MAY[scope]}</span></label>`;

const option = (value: string, label: string, isChosen: boolean) =>
  html`<option value="${value}"${isChosen ? html` selected` : ''}>${label}</option>`;

function publisherChoice({ asked }: DeviceRecord, { memberships }: PersonCaller): Html {
  const slugs = [...memberships.keys()].sort();
  const isAway = asked.publisher !== null && !memberships.has(asked.publisher);
  return html`
    <label for="publisher">For which publishers</label>
    <select id="publisher" name="publisher">
      ${option('', 'All that I act for, now and later', false)}
      ${slugs.map((slug) => option(slug, `Only ${slug}`, slug === asked.publisher))}
    </select>
    ${isAway ? html`<p class="fault">It asks to act for <code>${asked.publisher}</code>, for which you do not act.</p>` : ''}
    ${slugs.length === 0 ? html`<p class="hint">You act for no publisher yet, so it can do nothing until you do.</p>` : ''}`;
}

/** The page that shows who asks, and for what, with the choice to approve or to deny. */
export const askPage = (
  caller: PersonCaller,
  csrf: string,
  { device, code, seal }: LookedAt,
  now: Date,
): Page =>
  page(
    'Approve a device',
    html`<form method="post" action="/device/answer">
      <h1>Let this device act for you?</h1>
      <p class="code">${shownUserCode(code)}</p>
      <p>Approve only if you started this yourself, and the device shows the same code.</p>
      <dl>
        <dt>Calls itself</dt><dd><bdi>${device.client}</bdi></dd>
        <dt>Asks from</dt><dd>${place(device, caller)}</dd>
        <dt>Asked</dt><dd>${ago(device.createdAt, now)}</dd>
        <dt>You are</dt><dd>${caller.person.name}</dd>
      </dl>
      <input type="hidden" name="csrf" value="${csrf}">
      <input type="hidden" name="code" value="${code}">
      <input type="hidden" name="seal" value="${seal}">
      <fieldset>
        <legend>It will be able to</legend>
        ${TOKEN_SCOPES.filter((scope) => device.asked.scopes.includes(scope)).map(scopeBox)}
      </fieldset>
      ${publisherChoice(device, caller)}
      <p class="hint">For ${days.usual} days, or until you revoke it. It never administers, moderates, or changes who acts for a publisher.</p>
      <button class="main" name="answer" value="approve">Approve</button>
      <button class="bad" name="answer" value="deny">Deny</button>
    </form>`,
  );

/** The page that says what became of it. */
export const answeredPage = ({ client }: DeviceRecord, grant: DeviceGrant | null): Page =>
  grant === null
    ? page(
        'Denied',
        html`<section>
          <h1>Denied</h1>
          <p><bdi>${client}</bdi> gets nothing. If you did not start this, another person may have sent you their code: tell the operator of this store.</p>
        </section>`,
      )
    : page(
        'Approved',
        html`<section>
          <h1>Approved</h1>
          <p class="done">Go back to <bdi>${client}</bdi>: it is signed in within a few seconds.</p>
          <p>For ${grant.publisher === null ? 'all publishers that you act for' : html`<code>${grant.publisher}</code>`}, it may:</p>
          <ul>${grant.scopes.map((scope) => html`<li>${MAY[scope]}</li>`)}</ul>
          <p class="hint">You may close this page.</p>
        </section>`,
      );
