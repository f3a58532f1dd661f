import { openApiDocument } from '@svc/contracts';
import { sampleManifest } from '@svc/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { ROUTES_OF_STORE } from '../../support/extensions.ts';
import { BASE_URL, jsonOf, openTestStore } from '../../support/test-store.ts';

it('the description of the API is served as JSON with the URL of this store', async () => {
  const store = await openTestStore();
  const document = await jsonOf<{ servers: unknown }>(store.call('GET', '/api/openapi.json'));
  expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(BASE_URL, ROUTES_OF_STORE))));
  expect(document.servers).toEqual([{ url: BASE_URL }]);
});

it('the schema of the manifest is served to any origin at the URL of its $id', async () => {
  const store = await openTestStore();
  const response = await store.call('GET', '/schemas/app-manifest-v3.json');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const schema = (await response.json()) as { $id: string };
  expect(schema.$id).toBe(`${BASE_URL}/schemas/app-manifest-v3.json`);
  const fits = new Ajv2020({ strictTypes: false }).compile(schema);
  expect(fits(sampleManifest()), JSON.stringify(fits.errors)).toBe(true);
  expect(fits({ ...sampleManifest(), name: 7 })).toBe(false);
});
