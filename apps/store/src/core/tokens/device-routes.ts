import { LIMITS, TOKEN_SCOPES, type TokenScope } from '@svc/contracts';
import { isLoopbackAddress } from '@svc/contracts/public-address';
import { spanText } from '@svc/text/quantity';
import { html } from 'hono/html';
import { csrfField, donePage, formPage, hiddenField } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { createMac } from '../../platform/secret.ts';
import type { Handlers } from '../access/bind-route.ts';
import { originOf } from '../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../access/csrf.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { DeviceGrant, DeviceRecord } from '../domain/identity/device-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { answerDevice, findByUserCode, type ShownDevice } from './approve-device.ts';
import { pollDevice, shownUserCode, startDevice } from './device-sign-in.ts';
import { requireUnlocked } from './guess-lock.ts';

const { days } = LIMITS.tokens;

/** The description of each scope, for the person who approves it. */
const SCOPE_TEXTS: Record<TokenScope, string> = {
  'publish:new': 'Publish new apps',
  'publish:update': 'Publish new versions of apps',
  yank: 'Yank versions',
  status: 'See the status of versions',
  read: 'See and download apps, in a store that is only for members',
};

/**
 * The page to enter a code. A prefilled code does nothing until the user submits it.
 * @param error the error message for the previous code
 */
const codePage = (caller: PersonCaller, csrf: string, code = '', error = ''): Page =>
  formPage(
    'Sign in a device',
    html`<form method="post" action="/device">
      <h1>Sign in a device</h1>
      <p>A program such as <code>svc login</code> shows a code of eight letters. Enter the code here, or check that it is the same.</p>
      ${csrfField(csrf)}
      <label for="code">Code</label>
      <input id="code" class="code" name="code" value="${code}" placeholder="XXXX-XXXX" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false"${error === '' ? '' : html` aria-invalid="true" aria-describedby="fault"`}>
      ${error === '' ? '' : html`<p id="fault" class="fault" role="alert">${error}</p>`}
      <button class="main">Continue</button>
      <p class="hint">You are signed in as ${caller.person.name}. Continue only if you started this sign-in yourself. If another person gave you the code, they could act in your name.</p>
    </form>`,
  );

const ago = (then: string, now: Date): string => `${spanText(now.getTime() - Date.parse(then))} ago`;

/** The origin of the request, compared with that of the user: a code sent by an attacker comes from another address. */
function place({ address }: DeviceRecord, { from }: PersonCaller): string {
  if (address === null) return 'unknown';
  if (address === from.address) return `${address}, your address`;
  if (from.address !== null && isLoopbackAddress(address) && isLoopbackAddress(from.address))
    return `${address}, this machine`;
  return from.address === null ? address : `${address}, not your address (${from.address})`;
}

const scopeBox = (scope: TokenScope) => html`
  <label class="choice"><input type="checkbox" name="${scope}" checked> <span>${SCOPE_TEXTS[scope]}</span></label>`;

const option = (value: string, label: string, isChosen: boolean) =>
  html`<option value="${value}"${isChosen ? html` selected` : ''}>${label}</option>`;

function publisherChoice({ asked }: DeviceRecord, { memberships }: PersonCaller): Html {
  const slugs = [...memberships.keys()].sort();
  const isAway = asked.publisher !== null && !memberships.has(asked.publisher);
  return html`
    <label for="publisher">Acts for</label>
    <select id="publisher" name="publisher">
      ${option('', 'All my publishers, now and in the future', false)}
      ${slugs.map((slug) => option(slug, `Only ${slug}`, slug === asked.publisher))}
    </select>
    ${isAway ? html`<p class="fault">It asks to act for <code>${asked.publisher}</code>, of which you are not a member.</p>` : ''}
    ${slugs.length === 0 ? html`<p class="hint">You are not a member of a publisher yet. Until you are, the device can do nothing.</p>` : ''}`;
}

/** The page to approve or deny a device. */
export const askPage = (
  caller: PersonCaller,
  csrf: string,
  { device, code, seal }: ShownDevice,
  now: Date,
): Page =>
  formPage(
    'Approve a device',
    html`<form method="post" action="/device/answer">
      <h1>Approve this device?</h1>
      <p class="code">${shownUserCode(code)}</p>
      <p>Approve only if you started this yourself, and the device shows the same code.</p>
      <dl class="facts">
        <dt>Device</dt><dd><bdi>${device.client}</bdi></dd>
        <dt>Requested from</dt><dd>${place(device, caller)}</dd>
        <dt>Requested</dt><dd>${ago(device.createdAt, now)}</dd>
        <dt>Signed in as</dt><dd>${caller.person.name}</dd>
      </dl>
      ${csrfField(csrf)}${hiddenField('code', code)}${hiddenField('seal', seal)}
      <fieldset>
        <legend>Permissions</legend>
        ${TOKEN_SCOPES.filter((scope) => device.asked.scopes.includes(scope)).map(scopeBox)}
      </fieldset>
      ${publisherChoice(device, caller)}
      <p class="hint">Valid for ${days.default} days, or until you revoke it. It cannot administer, moderate, or change the members of a publisher.</p>
      <button class="main" name="answer" value="approve">Approve</button>
      <button class="bad" name="answer" value="deny">Deny</button>
    </form>`,
  );

/** The page after an approval or a denial. */
const answeredPage = ({ client }: DeviceRecord, grant: DeviceGrant | null): Page =>
  grant === null
    ? donePage(
        'Denied',
        html`<p><bdi>${client}</bdi> has no access. If you did not start this sign-in, another person may have sent you their code: report it to the operator of this store.</p>`,
      )
    : donePage(
        'Approved',
        html`<p class="good">Go back to <bdi>${client}</bdi>: it is signed in within a few seconds.</p>
          <p>For ${grant.publisher === null ? 'all your publishers' : html`<code>${grant.publisher}</code>`}, it can:</p>
          <ul>${grant.scopes.map((scope) => html`<li>${SCOPE_TEXTS[scope]}</li>`)}</ul>
          <p class="hint">You can close this page.</p>`,
      );

type RouteDeps = Parts & CsrfDeps;

const WRONG_CODE =
  'No device waits with this code. Compare it with the device: the code may be mistyped or have expired.';

/** Device sign-in: the endpoints of the device, and the pages for the user. */
export function deviceRoutes(parts: RouteDeps) {
  const { privateKey } = parts.signingKey;
  const deps = {
    ...parts,
    macOfCode: createMac(privateKey, 'device-user-code'),
    macOfShown: createMac(privateKey, 'device-look'),
  };
  return {
    startDevice: ({ body }, c) => startDevice(deps, originOf(c), body),
    pollDevice: ({ body }, c) => pollDevice(deps, originOf(c), body.deviceCode),
    devicePage: async ({ caller, query }, c) => {
      await requireUnlocked(deps, caller);
      return sendPage(c, codePage(caller, csrfTokenFor(deps, c), query.code));
    },
    findDevice: async ({ caller, form }, c) => {
      const shown = await findByUserCode(deps, caller, form.code);
      const csrf = csrfTokenFor(deps, c);
      if (!shown) return sendPage(c, codePage(caller, csrf, form.code, WRONG_CODE), 404);
      return sendPage(c, askPage(caller, csrf, shown, deps.clock()));
    },
    answerDevice: async ({ caller, form }, c) => {
      const { device, grant } = await answerDevice(deps, caller, form);
      return sendPage(c, answeredPage(device, grant));
    },
  } satisfies Handlers;
}
