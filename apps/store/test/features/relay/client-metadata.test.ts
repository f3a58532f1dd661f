import { ClientMetadata } from '@svc/contracts';
import { expect, it } from 'vitest';
import { clientMetadata } from '../../../src/features/relay/client-metadata.ts';
import { openTestStore } from '../../support/test-store.ts';

const brand = { name: 'Acme Apps', logo: '/assets/logo-abc.png', logoType: 'image/png' };

it('client_id is the URL of the document, and redirect_uris has only the callback of the relay', () => {
  expect(clientMetadata({ baseUrl: 'https://store.example', brand })).toEqual({
    client_id: 'https://store.example/apps/oauth/client.json',
    client_name: 'Acme Apps',
    client_uri: 'https://store.example',
    logo_uri: 'https://store.example/assets/logo-abc.png',
    redirect_uris: ['https://store.example/apps/oauth/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  });
});

it('application_type is native if the callback uses http', () => {
  const { application_type } = clientMetadata({ baseUrl: 'http://localhost:8787', brand });
  expect(application_type).toBe('native');
});

it('the document is served as JSON that can be cached for an hour, and its logo exists', async () => {
  const store = await openTestStore();
  const response = await store.call('GET', '/apps/oauth/client.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  const text = await response.text();
  // Section 6.6 of the draft recommends that servers read at most 5 KiB.
  expect(text.length).toBeLessThan(5 * 1024);
  const { client_id, logo_uri } = ClientMetadata.parse(JSON.parse(text));
  expect(new URL(client_id).pathname).toBe('/apps/oauth/client.json');
  const logo = await store.call('GET', new URL(logo_uri).pathname);
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
});
