import { LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { shownNetwork } from './capacity.ts';

const { digits, tries } = LIMITS.relay;

/** A client that waits for the response. */
export type ShownClient = {
  /** The network that it polls from. */
  network: string;
  /** The app that it names, from the listing of the store; null when the store does not list it. */
  app: { name: string; host: string } | null;
};

const page = (title: string, body: Html): Page => ({
  title,
  body: html`<main>${body}</main>`,
  formTargets: [],
});

/** The page after a response that its client gets without digits, whatever the response is. It contains nothing of the URL. */
export const closePage: Page = {
  title: 'You can close this tab',
  body: html`<main><section>
    <h1>You can close this tab</h1>
    <p>Continue in the app where you started to sign in.</p>
  </section></main>`,
};

const clientRows = ({ network, app }: ShownClient): Html => html`
  ${app === null ? '' : html`<dt>App</dt><dd>${app.name}, <code>${app.host}</code></dd>`}
  <dt>Waiting at</dt><dd>${shownNetwork(network)}</dd>`;

/** What the page says about the clients that wait at other addresses. */
const waiting = (clients: readonly ShownClient[], own: string): Html => html`
  <dl>
    ${clients.map(clientRows)}
    <dt>Your address</dt><dd>${shownNetwork(own)}</dd>
  </dl>
  ${clients.length > 1 ? html`<p class="fault">Clients at ${clients.length} addresses wait for this sign-in. If you started it once, close this tab.</p>` : ''}`;

/** The form of the page: what identifies its response, and the clients that wait for it. */
export type DigitsForm = { csrf: string; ticket: string; clients: readonly ShownClient[]; own: string };

/** Asks for the digits that the right client shows. It contains nothing of the URL. */
export const digitsPage = ({ csrf, ticket, clients, own }: DigitsForm, isWrong = false): Page =>
  page(
    'Confirm this sign-in',
    html`<form method="post" action="/apps/oauth/digits">
      <h1>Confirm this sign-in</h1>
      <p>The app that connects your account is not at the network address of this browser. Type the ${digits} digits that the app shows.</p>
      ${clients.length === 0 ? '' : waiting(clients, own)}
      <input type="hidden" name="csrf" value="${csrf}">
      <input type="hidden" name="ticket" value="${ticket}">
      <label for="digits">Digits</label>
      <input id="digits" class="code" name="digits" required maxlength="20" inputmode="numeric" autocomplete="off" placeholder="000"${isWrong ? html` aria-invalid="true" aria-describedby="fault"` : ''}>
      ${isWrong ? html`<p id="fault" class="fault" role="alert">These are not the digits. After ${tries} wrong tries the sign-in ends.</p>` : ''}
      <button class="main">Confirm</button>
      <p class="hint">If you did not start this sign-in, or another person sent you the link or the digits, close this tab: they would get access to your account. If the app already shows the account as connected, close this tab too.</p>
    </form>`,
  );

/** The page after the right digits. */
export const confirmedPage: Page = page(
  'Confirmed',
  html`<section>
    <h1>Confirmed</h1>
    <p class="done">You can close this tab, and continue in the app.</p>
  </section>`,
);

/** The page when there is nothing to confirm any more. */
export const gonePage: Page = page(
  'This sign-in has ended',
  html`<section>
    <h1>This sign-in has ended</h1>
    <p>If the app does not show the account as connected, start to sign in again there. Sign-ins end after five minutes, or after ${tries} wrong tries.</p>
  </section>`,
);
