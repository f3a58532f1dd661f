import { ERRORS, openApiDocument, ROUTES } from '@svc/contracts';
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
