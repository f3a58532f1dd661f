import type { ClientMetadata } from '@svc/contracts';
import type { Brand } from '../platform/brand.ts';

export type ClientDeps = {
  baseUrl: string;
  /** What people read and see on the pages of OAuth servers. */
  brand: Brand;
};

/**
 * Who the clients of this store are to OAuth servers (draft-ietf-oauth-client-id-metadata-document, section 4). Its `client_id` is its
 * own address, which servers compare character by character, and its one redirect URI is the store's: the code comes back through the
 * relay, so that nothing on a user's machine can pass itself off as the client by listening on a port.
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
  // OpenID Connect registration section 2: only a native client may be sent back to http.
  application_type: baseUrl.startsWith('https:') ? 'web' : 'native',
});
