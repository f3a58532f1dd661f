import { apiRequest } from '@svc/contracts/client';
import { automationOf } from '@svc/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeContexts, NEEDS_BROWSER, shareBrowser } from '../../support/real-browser.ts';
import { openRealStore } from '../../support/real-store.ts';
import { publishApp } from '../../support/seed.ts';
import { openAs } from '../../support/staff.ts';

type Store = Awaited<ReturnType<typeof openRealStore>>;
let browser: Browser;
let [publicStore, company]: Store[] = [];

beforeAll(async () => {
  [browser, publicStore, company] = await Promise.all([shareBrowser(), openRealStore(), openRealStore()]);
});
afterAll(async () => {
  await closeContexts(browser);
  await Promise.all([publicStore?.close(), company?.close()]);
});

it(
  'an administrator compares the key of a store, adds it, and carries an app of it',
  NEEDS_BROWSER,
  async () => {
    const [there, here] = [publicStore, company] as [Store, Store];
    const automation = automationOf(there.url, there.adminToken);
    await automation.ask(
      apiRequest('POST /api/admin/publishers', { json: { slug: 'acme', name: 'Acme', verified: true } }),
    );
    await publishApp(there, { publisher: 'acme', id: 'com.acme.notes', name: 'Acme Notes' });
    const { page, incidents } = await openAs(browser, here, {
      name: 'Ada',
      role: 'administrator',
      path: '/admin/upstreams',
    });
    await page.getByLabel('Address of the store').fill(there.url);
    await page.getByRole('button', { name: 'Show its key' }).click();
    const { keyId } = await automation.ask(apiRequest('GET /api/apps/public-key'));
    await page.getByText(keyId).first().waitFor();
    const key = page.getByLabel('Id of the key that you compared');
    await key.fill('ed25519-0000000000000000');
    await page.getByRole('button', { name: 'Add the upstream' }).click();
    await page.getByText(`its current key, ${keyId}`).waitFor();
    await key.fill(keyId);
    await page.getByRole('button', { name: 'Add the upstream' }).click();
    await page.getByRole('heading', { name: there.url }).waitFor();
    await page.getByText('Search its apps').click();
    await page.getByLabel('Words').fill('notes');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('button', { name: 'Carry' }).click();
    await page.getByText('chosen', { exact: true }).waitFor();
    const { upstreams } = await automationOf(here.url, here.adminToken).ask(
      apiRequest('GET /api/admin/upstreams'),
    );
    expect(upstreams).toMatchObject([
      { address: there.url, keyIds: [keyId], choices: { which: 'chosen', apps: ['com.acme.notes'] } },
    ]);
    // Behind an air gap it is read from files: there is nothing to ask over the network.
    const last = { begunAt: '2026-03-01T12:00:00.000Z', importedAt: '2026-03-02T12:00:00.000Z', missing: 3 };
    const file = { signerIds: ['ed25519-0123456789abcdef'], last };
    await page.route('**/api/admin/upstreams', (route) =>
      route.fulfill({ json: { upstreams: upstreams.map((one) => ({ ...one, file })) } }),
    );
    await page.reload();
    await page
      .getByText(/by file, last import .+2026.*, of an export of .+2026.*, 3 bundles missing/)
      .waitFor();
    await page.getByText('ed25519-0123456789abcdef').waitFor();
    expect(await page.getByText('Search its apps').count()).toBe(0);
    expect(await page.getByText('Pin its key again').count()).toBe(0);
    expect(incidents.filter((one) => !one.includes('400'))).toEqual([]);
  },
);
