import type { ClientMetadata } from '@svc/contracts';
import type { Context } from 'hono';
import type { Handlers } from '../../access/bind-route.ts';
import type { Env } from '../../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../../access/csrf.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { sendPage } from '../../http/page.ts';
import type { Brand } from '../../platform/brand.ts';
import { hashSecret } from '../../platform/secret.ts';
import {
  closePage,
  confirmedPage,
  type DigitsForm,
  digitsPage,
  gonePage,
  type ShownClient,
} from './callback-page.ts';
import { peerOf } from './capacity.ts';
import { type CollectDeps, collectCode } from './collect-code.ts';
import { confirmClient } from './confirm-client.ts';
import { type ParkDeps, parkCode } from './park-code.ts';
import { hashState } from './seal-entry.ts';

type ClientDeps = Pick<Parts, 'baseUrl'> & {
  /** The name and the logo that users see on the pages of OAuth servers. */ brand: Brand;
};

/**
 * The OAuth client metadata document of this store's clients (draft-ietf-oauth-client-id-metadata-document, section 4). The `client_id`
 * is its own URL, which servers compare character by character. The only redirect URI is that of the store: the code returns through
 * the relay, so that no program on a user's machine can impersonate the client by listening on a port.
 */
export const clientMetadata = ({ baseUrl, brand }: ClientDeps): ClientMetadata => ({
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
  ClientDeps &
  CsrfDeps &
  Pick<Parts, 'listings' | 'versions' | 'accessRules'>;

/** The app that a client names. A store that only members may read reveals none. */
async function appOf(
  { listings, versions, accessRules }: RelayDeps,
  appId: string | null,
): Promise<ShownClient['app']> {
  if (appId === null || accessRules.now().read !== 'public') return null;
  const listed = await listings.find(appId);
  const version = listed && (await versions.find(listed));
  const host = URL.parse(version?.manifest.remote.mcpUrl ?? '')?.host;
  return version && host !== undefined ? { name: version.manifest.name, host } : null;
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

/** The routes of the relay, which returns authorization responses to clients. */
export const relayRoutes = (deps: RelayDeps) =>
  ({
    relayCallback: async ({ query }, c) => {
      const stateHash = hashState(query.state);
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
      c.json(clientMetadata(deps), 200, {
        'Cache-Control': 'public, max-age=3600',
      }),
    relayResult: async ({ query }, c) => {
      const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
      // A HEAD request must not collect the response (RFC 9110 section 9.3.2).
      const isRead = c.req.raw.method === 'GET' && !isCrossSite(c);
      const result = isRead ? await collectCode(deps, query, c.get('address')) : { pending: true };
      return c.json(result, 200, headers);
    },
  }) satisfies Handlers;
