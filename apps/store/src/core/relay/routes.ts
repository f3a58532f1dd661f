import { setImmediate } from 'node:timers/promises';
import { type ClientMetadata, LIMITS } from '@svc/contracts';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { csrfField, donePage, formPage, hiddenField } from '../../http/form.ts';
import { type Html, icon } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import type { Brand } from '../../platform/brand.ts';
import { hashSecret, sameSecret } from '../../platform/secret.ts';
import type { Handlers } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../access/csrf.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { peerOf, shownNetwork } from './capacity.ts';
import { type CollectDeps, collectCode, type ParkDeps, parkCode } from './park-code.ts';
import type { Confirmation } from './relay-store.ts';

/** Digits of SHA-256 from which those of a client are derived: the first 32 bits. */
const HEX_DIGITS = 8;

/** The digits that the client of a state shows: the first 32 bits of SHA-256, modulo 1000. */
export const digitsOf = (stateHash: string): string =>
  String(Number.parseInt(stateHash.slice(0, HEX_DIGITS), 16) % 10 ** LIMITS.relay.digits).padStart(
    LIMITS.relay.digits,
    '0',
  );

/** What users type between or around digits. */
const SEPARATORS = /[\s.-]/g;

/**
 * Confirms the client whose digits the user typed: it gets the response. Three wrong ones delete the response.
 * @param ticket of the page; only the browser that brought the response has it
 */
async function confirmClient(
  { relay, unitOfWork, clock }: Pick<CollectDeps, 'relay' | 'unitOfWork' | 'clock'>,
  { ticket, digits }: { ticket: string; digits: string },
): Promise<Confirmation> {
  const ticketHash = hashSecret(ticket);
  const stateHash = await relay.stateOfTicket(ticketHash, clock().toISOString());
  if (stateHash === null) return 'gone';
  const isRight = sameSecret(digitsOf(stateHash), digits.replaceAll(SEPARATORS, ''));
  return unitOfWork((stores) => stores.relay.confirm(ticketHash, isRight));
}

const { digits, tries } = LIMITS.relay;

/** A client that waits for the response. */
type ShownClient = {
  /** The network that it polls from. */
  network: string;
  /** The app that it names, from the listing of the store; null when the store does not list it. */
  app: { name: string; host: string } | null;
};

/** The page after a response that its client gets without digits, whatever the response is. It contains nothing of the URL. */
const closePage: Page = {
  title: 'You can close this tab',
  body: html`<main><section>
    <h1>You can close this tab</h1>
    <p><strong>Back to the app</strong> where you started to sign in.</p>
  </section></main>`,
};

const clientRows = ({ network, app }: ShownClient): Html => html`
  ${app === null ? '' : html`<dt>App</dt><dd>${app.name}, <code>${app.host}</code></dd>`}
  <dt>Waiting at</dt><dd>${shownNetwork(network)}</dd>`;

/** What the page says about the clients that wait at other addresses. */
const waiting = (clients: readonly ShownClient[], own: string): Html => html`
  <dl class="facts">
    ${clients.map(clientRows)}
    <dt>Your address</dt><dd>${shownNetwork(own)}</dd>
  </dl>
  ${clients.length > 1 ? html`<p class="fault">Clients at ${clients.length} addresses wait for this sign-in. If you started it once, close this tab.</p>` : ''}`;

/** The form of the page: what identifies its response, and the clients that wait for it. */
type DigitsForm = { csrf: string; ticket: string; clients: readonly ShownClient[]; own: string };

/** Asks for the digits that the right client shows. It contains nothing of the URL. */
const digitsPage = ({ csrf, ticket, clients, own }: DigitsForm, isWrong = false): Page =>
  formPage(
    'Confirm this sign-in',
    html`<form method="post" action="/apps/oauth/digits">
      <h1>Confirm this sign-in</h1>
      <p class="callout">Close this tab if you did not start this sign-in, or if another person sent you the link or the digits: <strong>they would get access to your account.</strong></p>
      <p>The app that connects your account is not at the network address of this browser. Type the ${digits} digits that the app shows.</p>
      ${clients.length === 0 ? '' : waiting(clients, own)}
      ${csrfField(csrf)}${hiddenField('ticket', ticket)}
      <label for="digits">Digits</label>
      <input id="digits" class="code" name="digits" required maxlength="20" inputmode="numeric" autocomplete="off" placeholder="000"${isWrong ? html` aria-invalid="true" aria-describedby="fault"` : ''}>
      ${isWrong ? html`<p id="fault" class="fault" role="alert">These are not the digits. After ${tries} wrong tries the sign-in ends.</p>` : ''}
      <button class="main">Confirm</button>
      <p class="hint">Does the app show the account as connected already? Then close this tab too.</p>
    </form>`,
  );

/** The page after the right digits. */
const confirmedPage: Page = formPage(
  'Confirmed',
  html`<section>
    <div class="cluster"><span class="done-mark">${icon('check')}</span> <h1>Confirmed</h1></div>
    <p><strong>Back to the app:</strong> it connects your account now. You can close this tab.</p>
  </section>`,
);

/** The page when there is nothing to confirm any more. */
const gonePage: Page = donePage(
  'This sign-in has ended',
  html`<p>If the app does not show the account as connected, start to sign in again there. Sign-ins end after five minutes, or after ${tries} wrong tries.</p>`,
);

type Client = {
  baseUrl: string;
  /** The name and the logo that users see on the pages of OAuth servers. */ brand: Brand;
};

/**
 * The OAuth client metadata document of this store's clients (draft-ietf-oauth-client-id-metadata-document, section 4). The `client_id`
 * is its own URL, which servers compare character by character. The only redirect URI is that of the store: the code returns through
 * the relay, so that no program on a user's machine can impersonate the client by listening on a port.
 */
export const clientMetadata = ({ baseUrl, brand }: Client): ClientMetadata => ({
  client_id: `${baseUrl}/apps/oauth/client.json`,
  client_name: brand.name,
  client_uri: baseUrl,
  logo_uri: `${baseUrl}${brand.logo}`,
  redirect_uris: [`${baseUrl}/apps/oauth/callback`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  // OpenID Connect registration section 2: only a native client may have an http redirect URI.
  application_type: baseUrl.startsWith('https:') ? 'web' : 'native',
});

type RelayDeps = ParkDeps &
  CollectDeps &
  CsrfDeps &
  Pick<Parts, 'baseUrl' | 'listings' | 'versions' | 'accessRules'>;

/** The app that a client names. A store that only members may read reveals none. */
async function appOf(
  { listings, versions, accessRules }: RelayDeps,
  appId: string | null,
): Promise<ShownClient['app']> {
  if (appId === null || accessRules.now().read !== 'public') return null;
  const listed = await listings.find(appId);
  const version = listed && (await versions.find(listed));
  return version && { name: version.manifest.name, host: new URL(version.manifest.remote.mcpUrl).host };
}

/** The clients that wait for the response to a state. */
async function clientsOf(deps: RelayDeps, stateHash: string): Promise<ShownClient[]> {
  const clients = await deps.relay.clientsOf(stateHash, deps.clock().toISOString());
  return Promise.all(clients.map(async ({ network, appId }) => ({ network, app: await appOf(deps, appId) })));
}

/** The form for digits; null when the client gets the response without them. */
async function formFor(
  deps: RelayDeps,
  address: string | null,
  { stateHash, csrf, ticket }: { stateHash: string; csrf: string; ticket: string },
): Promise<DigitsForm | null> {
  const { relayBinding } = deps;
  if (relayBinding === 'off') return null;
  const own = peerOf(address);
  // Without an address the connection is closed already: no page arrives.
  if (relayBinding === 'address' && address === null) return null;
  const clients = await clientsOf(deps, stateHash);
  if (relayBinding === 'address' && clients.some(({ network }) => network === own)) return null;
  return { csrf, ticket, clients, own };
}

/** The same for each page of a browser about a state, and unknown to other browsers: they cannot confirm a client. */
const ticketOf = (csrf: string, stateHash: string): string => hashSecret(`relay ${csrf} ${stateHash}`);

/** Whether a page of another site sent a request from a browser (Fetch Metadata): it could consume a response, or pass for a client. */
const isCrossSite = (c: Context<Env>): boolean => c.req.header('sec-fetch-site') === 'cross-site';

/**
 * Whether the client of a request has closed its connection, after its time limit: the response, which goes out once, would be lost.
 * The first turn of the event loop ends the one in which the request came; in the second Node reads what has come since.
 */
async function hasLeft(c: Context<Env>): Promise<boolean> {
  await setImmediate();
  await setImmediate();
  const socket = c.env?.incoming?.socket;
  return socket?.destroyed ?? false;
}

/** The routes of the relay, which returns authorization responses to clients. */
export const relayRoutes = (deps: RelayDeps) =>
  ({
    relayCallback: async ({ query }, c) => {
      const stateHash = hashSecret(query.state);
      const address = c.get('address');
      const csrf = csrfTokenFor(deps, c);
      const ticket = ticketOf(csrf, stateHash);
      await parkCode(deps, query, { address, ticket });
      const form =
        query.code === undefined ? null : await formFor(deps, address, { stateHash, csrf, ticket });
      return sendPage(c, form ? digitsPage(form) : closePage);
    },
    relayDigits: async ({ form }, c) => {
      const confirmation = await confirmClient(deps, form);
      if (confirmation === 'confirmed') return sendPage(c, confirmedPage);
      if (confirmation === 'gone') return sendPage(c, gonePage);
      const again = { csrf: csrfTokenFor(deps, c), ticket: form.ticket, clients: [], own: '' };
      return sendPage(c, digitsPage(again, true));
    },
    relayClient: (_request, c) =>
      c.json(clientMetadata({ baseUrl: deps.baseUrl, brand: c.get('brand') }), 200, {
        'Cache-Control': 'public, max-age=3600',
      }),
    relayResult: async ({ query }, c) => {
      const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
      // A HEAD request must not collect the response (RFC 9110 section 9.3.2).
      const isRead = c.req.raw.method === 'GET' && !isCrossSite(c);
      const client = { address: c.get('address'), hasLeft: () => hasLeft(c) };
      const result = isRead ? await collectCode(deps, query, client) : { pending: true };
      return c.json(result, 200, headers);
    },
  }) satisfies Handlers;
