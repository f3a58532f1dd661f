import type { ClientMetadata } from '@svc/contracts';
import type { Brand } from '../../platform/brand.ts';

export type ClientDeps = {
  baseUrl: string;
  /** The name and the logo that users see on the pages of OAuth servers. */
  brand: Brand;
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
