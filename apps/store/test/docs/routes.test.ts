import { ERRORS, openApiDocument, ROUTES } from '@svc/contracts';
import { sampleManifest } from '@svc/testkit';
import { RULES } from '@svc/validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { BASE_URL, jsonOf, openTestStore } from '../support/test-store.ts';

describe('the description of the API', () => {
  it('is served for machines, with the address of this store', async () => {
    const store = await openTestStore();
    const document = await jsonOf<{ servers: unknown }>(store.call('GET', '/api/openapi.json'));
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(BASE_URL))));
    expect(document.servers).toEqual([{ url: BASE_URL }]);
  });

  it('is served for people, whole and without scripts', async () => {
    const store = await openTestStore();
    const response = await store.call('GET', '/api/docs');
    const page = await response.text();
    for (const name of Object.keys(ROUTES)) expect(page).toContain(`id="${name}"`);
    for (const code of Object.keys(ERRORS)) expect(page).toContain(`id="error-${code}"`);
    expect(page).not.toMatch(/<script|onload=|javascript:/i);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });
});

describe('the schema of the manifest', () => {
  it('is served to any editor, under the address it names', async () => {
    const store = await openTestStore();
    const response = await store.call('GET', '/schemas/app-manifest-v3.json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const schema = (await response.json()) as { $id: string };
    expect(schema.$id).toBe(`${BASE_URL}/schemas/app-manifest-v3.json`);
    const fits = new Ajv2020({ strictTypes: false }).compile(schema);
    expect(fits(sampleManifest()), JSON.stringify(fits.errors)).toBe(true);
    expect(fits({ ...sampleManifest(), name: 7 })).toBe(false);
  });
});

describe('the pages about codes', () => {
  it('has one for every code, and a list of them', async () => {
    const store = await openTestStore();
    const list = await (await store.call('GET', '/docs/codes')).text();
    for (const { code } of RULES) {
      expect(list).toContain(`href="/docs/codes/${code}"`);
      const response = await store.call('GET', `/docs/codes/${code}`);
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/);
      const page = await response.text();
      expect(page).toContain(`<h1><code>${code}</code></h1>`);
      // Examples hold scripts and markup; they are shown, never run.
      expect(page).not.toMatch(/<script|<svg|<[^>]+onclick=/i);
    }
  });

  it('says so when there is no such code', async () => {
    const store = await openTestStore();
    const response = await store.call('GET', '/docs/codes/nothing.such');
    expect(response.status).toBe(404);
  });
});
