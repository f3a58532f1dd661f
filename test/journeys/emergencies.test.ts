import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiRequest } from '@svc/contracts/client';
import { DEEP } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeContexts, NEEDS_BROWSER, shareBrowser } from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { publishApp } from '../../apps/web/test/support/seed.ts';
import { asAutomation, openAs } from '../../apps/web/test/support/staff.ts';

describe('what administrators do about publishers, in a real browser', { ...NEEDS_BROWSER, ...DEEP }, () => {
  let browser: Browser;
  let folder: string;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  let anna: Page;
  let cleo: Page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-policy-'));
    const policy = join(folder, 'policy.json');
    await writeFile(policy, JSON.stringify({ emergencyInstalls: 0 }));
    [browser, store] = await Promise.all([
      shareBrowser(),
      openRealStore({ settings: { SVC_POLICY_FILE: policy } }),
    ]);
    for (const slug of ['example', 'harbor'])
      await asAutomation(store, apiRequest('POST /api/admin/publishers', { json: { slug, name: slug } }));
    await publishApp(store, { publisher: 'example' });
    anna = (await openAs(browser, store, { name: 'Anna', role: 'administrator', path: '/admin' })).page;
    cleo = (await openAs(browser, store, { name: 'Cleo', role: 'administrator', path: '/admin' })).page;
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const statusOf = async () => (await fetch(`${store.url}/api/apps/com.example.notes`)).status;

  const start = async (page: Page, button: string) => {
    await page.goto(`${store.url}/admin/emergencies?publisher=example`);
    await page.getByText('1 published version').waitFor();
    await page.getByLabel(/^Reason, shown/).fill('Steals tokens.');
    await page.getByRole('button', { name: button }).click();
    return page.locator('ul.rows > li').first();
  };

  it('emergencies stop a publisher at once, and are undone on the same page', async () => {
    const row = await start(anna, 'Stop it now');
    await row.getByText('1 version yanked, suspended').waitFor();
    // The form with the pressed button is gone: the heading of its card has the focus.
    await anna.locator('h2:focus', { hasText: 'Stop a publisher or an app' }).waitFor();
    expect(await statusOf()).toBe(410);
    await row.locator('summary', { hasText: 'Undo' }).click();
    await row.getByLabel('Reason, recorded').fill('It was the wrong one.');
    await row.getByRole('button', { name: 'Undo', exact: true }).click();
    await row.getByText('undone', { exact: true }).waitFor();
    expect(await statusOf()).toBe(200);
  });

  it('emergencies wait for another administrator above a number of installs, who sees them first', async () => {
    const at = `${store.url}/api/apps/com.example.notes/versions/1.0.0/bundle`;
    await (await fetch(at, { headers: { 'X-Svc-Install-Id': 'installation-of-a-user' } })).arrayBuffer();
    await expect
      .poll(async () => (await fetch(`${store.url}/api/apps/com.example.notes`)).json())
      .toMatchObject({ installs: 1 });
    const own = await start(anna, 'Ask a second administrator');
    await own.getByText('Another administrator must confirm it').waitFor();
    expect(await own.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    expect(await statusOf()).toBe(200);
    await cleo.goto(`${store.url}/admin`);
    await cleo.getByRole('link', { name: '1 emergency act to confirm or refuse' }).click();
    const row = cleo.locator('ul.rows > li').first();
    await row.getByRole('button', { name: 'Confirm' }).click();
    await row
      .getByRole('group', { name: 'Carry it out now?' })
      .getByRole('button', { name: 'Confirm' })
      .click();
    await row.getByText('decided by Cleo').waitFor();
    expect(await statusOf()).toBe(410);
  });

  /** Makes a user a member of the publisher harbor, as its administrators do. */
  const addMember = async (email: string, role: string) => {
    await anna.goto(`${store.url}/admin/publishers/harbor`);
    await anna.getByLabel('Email address of a user').fill(email);
    await anna.getByLabel('Role').selectOption(role);
    await anna.getByRole('button', { name: 'Add a member' }).click();
    await anna.getByText(`${email}, since`).waitFor();
  };

  it('administrators approve the new name of a verified publisher, and remove its members', async () => {
    await openAs(browser, store, { name: 'Una', role: 'person', path: '/account' });
    const { page: olga } = await openAs(browser, store, { name: 'Olga', role: 'person', path: '/account' });
    await addMember('olga@example.com', 'owner');
    await addMember('una@example.com', 'member');
    const params = { slug: 'harbor' };
    await asAutomation(
      store,
      apiRequest('PATCH /api/admin/publishers/:slug', { params, json: { verified: true } }),
    );
    await olga.goto(`${store.url}/account/publishers/harbor/settings`);
    await olga.getByLabel(/^Name/).fill('Harbor Software');
    await olga.getByRole('button', { name: 'Save' }).click();
    await olga.getByText('An administrator has to approve the new name').waitFor();
    await anna.goto(`${store.url}/admin`);
    await anna.getByRole('link', { name: '1 name change to decide' }).click();
    await anna.getByRole('button', { name: 'Approve' }).click();
    await anna
      .getByRole('group', { name: /^Rename/ })
      .getByRole('button', { name: 'Approve' })
      .click();
    await anna.getByRole('link', { name: 'Harbor Software' }).click();
    await anna.getByText('Anna approved the new name of Harbor Software').waitFor();
    const remove = async (name: string) => {
      const row = anna.locator('ul.rows > li', { hasText: `${name.toLowerCase()}@example.com` });
      await row.getByRole('button', { name: 'Remove', exact: true }).click();
      await row.getByRole('group').getByRole('button', { name: 'Remove' }).click();
      return row;
    };
    const una = await remove('Una');
    await expect.poll(() => una.count()).toBe(0);
    await remove('Olga');
    await anna.getByText('needs an owner: make another member an owner first').waitFor();
  });

  it('owners add and remove webhooks and a reviewer account', async () => {
    await publishApp(store, { id: 'com.harbor.tasks', name: 'Tasks', publisher: 'harbor' });
    const { page } = await openAs(browser, store, { name: 'Oskar', role: 'person', path: '/account' });
    await addMember('oskar@example.com', 'owner');
    await page.goto(`${store.url}/account/publishers/harbor/settings`);
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel(/^Address/).fill('http://hooks.example.com/svc');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.locator('.fault:visible', { hasText: 'An https address' }).waitFor();
    await page.getByLabel(/^Address/).fill('https://hooks.example.com/svc');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('Copy the secret of this webhook now').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page
      .getByRole('group', { name: /^Remove/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await expect.poll(() => page.getByText('https://hooks.example.com/svc').count()).toBe(0);
    await page.goto(`${store.url}/account/publishers/harbor/apps/com.harbor.tasks/settings`);
    await page.getByRole('button', { name: 'Deposit a token' }).click();
    await page.getByLabel('Token', { exact: true }).fill('reviewer-token');
    await page.getByRole('button', { name: 'Deposit', exact: true }).click();
    await page.getByText('A token for mcp.example.com was deposited').waitFor();
    expect(await page.content()).not.toContain('reviewer-token');
    await page.getByRole('button', { name: 'Delete the token' }).click();
    await page
      .getByRole('group', { name: /^Delete/ })
      .getByRole('button', { name: 'Delete the token' })
      .click();
    await page.getByRole('button', { name: 'Deposit a token' }).waitFor();
  });

  it('emergencies suspend the members that an administrator ticks, and their undo ends that', async () => {
    await openAs(browser, store, { name: 'Mallory', role: 'person', path: '/account' });
    await openAs(browser, store, { name: 'Nina', role: 'person', path: '/account' });
    await addMember('mallory@example.com', 'owner');
    await addMember('nina@example.com', 'member');
    await anna.goto(`${store.url}/admin/emergencies?publisher=harbor`);
    await anna.getByLabel('Mallory, owner').check();
    await anna.getByLabel(/^Reason, shown/).fill('Steals tokens.');
    await anna.getByRole('button', { name: 'Stop it now' }).click();
    const row = anna.locator('ul.rows > li').first();
    await row.getByText('1 account suspended').waitFor();
    const suspended = async () => {
      const { people } = await asAutomation(
        store,
        apiRequest('GET /api/admin/people', { query: { suspended: true } }),
      );
      return people.map(({ name }) => name);
    };
    expect(await suspended()).toEqual(['Mallory']);
    await row.locator('summary', { hasText: 'Undo' }).click();
    await row.getByLabel('Reason, recorded').fill('It was the wrong one.');
    await row.getByRole('button', { name: 'Undo', exact: true }).click();
    await row.getByText('undone', { exact: true }).waitFor();
    expect(await suspended()).toEqual([]);
  });
});
