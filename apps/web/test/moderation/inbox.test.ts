import { apiRequest } from '@svc/contracts/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFirstReads } from '../support/first-reads.ts';
import { addDrift } from '../support/long-queue.ts';
import { closeContexts, NEEDS_BROWSER, shareBrowser } from '../support/real-browser.ts';
import { openRealStore } from '../support/real-store.ts';
import { publishApp, submitApp } from '../support/seed.ts';
import { asAutomation, openAs } from '../support/staff.ts';

describe('the inbox of moderators, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    await asAutomation(
      store,
      apiRequest('POST /api/admin/publishers', { json: { slug: 'example', name: 'Example' } }),
    );
    await publishApp(store, { publisher: 'example', id: 'com.example.leaky', name: 'Leaky' });
    await publishApp(store, { publisher: 'example', id: 'com.example.drifts', name: 'Drifts' });
    await submitApp(store, { publisher: 'example', id: 'com.example.waits', name: 'Waits' });
    const carl = await openAs(browser, store, {
      ...{ name: 'Carl', role: 'person', path: '/account/apps/com.example.leaky/report' },
    });
    await carl.page.getByLabel('What happened').fill('It sends my notes to another server.');
    await carl.page.getByRole('button', { name: 'Report', exact: true }).click();
    await carl.page.getByText('Reported. Your reports are below.').waitFor();
    addDrift(store.dataDir, 'com.example.drifts');
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  it('has all kinds in one list, each opened by a key where it is decided, and leads back', async () => {
    const { page, incidents } = await openAs(browser, store, {
      ...{ name: 'Mo', role: 'moderator', path: '/moderation' },
    });
    const rows = page.getByRole('list', { name: 'Cases, the longest waiting first' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(3);
    const kinds = await rows.locator('.kind').allTextContents();
    expect(kinds.toSorted()).toEqual(['reported version', 'server', 'version']);
    await page.getByText('1 version, 1 server, 1 reported version').waitFor();
    const open = async (one: string) => {
      await page.goto(`${store.url}/moderation`);
      await expect.poll(() => rows.count()).toBe(3);
      for (let n = 0; n < (await rows.locator('.kind').allTextContents()).indexOf(one); n += 1)
        await page.keyboard.press('j');
      await page.keyboard.press('Enter');
    };
    for (const [one, kind, name] of [
      ['server', 'Servers', 'Drifts'],
      ['reported version', 'Reports', 'Leaky'],
    ] as const) {
      await open(one);
      await page.getByRole('heading', { level: 1, name: kind }).waitFor();
      const marked = page.locator('li[aria-current]');
      await expect.poll(() => marked.innerText()).toContain(name);
    }
    await open('version');
    await page.waitForURL('**/moderation/apps/com.example.waits/versions/1.0.0');
    await page.getByText('Locked by you until').waitFor();
    await page.keyboard.press('u');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    expect(incidents).toEqual([]);
  });

  it('asks for all of its lists once, while its scripts are on their way', async () => {
    const { page, incidents } = await openAs(browser, store, {
      ...{ name: 'Quin', role: 'moderator', path: '/docs' },
    });
    const lists = [
      '/api/moderation/appeals',
      '/api/moderation/cases',
      '/api/moderation/drift',
      '/api/moderation/moderators',
      '/api/moderation/queue?reason=flagged%3Atools.changed&soleReason=true&superseded=false',
      '/api/moderation/queue?superseded=false&limit=50',
      '/api/moderation/reports',
      '/api/moderation/reviews',
      '/api/people/me',
    ];
    await expectFirstReads(page, `${store.url}/moderation`, lists, () =>
      page.getByRole('link', { name: 'Waits' }).waitFor(),
    );
    expect(incidents).toEqual([]);
  });

  it('assigns a case of any kind with a key, filters by it, and lists what was decided', async () => {
    const { page, incidents } = await openAs(browser, store, {
      ...{ name: 'Pia', role: 'moderator', path: '/moderation' },
    });
    const rows = page.getByRole('list', { name: 'Cases, the longest waiting first' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(3);
    for (let n = 0; n < 3; n += 1) {
      await page.keyboard.press('m');
      await rows.nth(n).getByText('Assigned to you').waitFor();
      expect(await rows.nth(n).locator('.when').innerText()).toMatch(/due|overdue/);
      await page.keyboard.press('j');
    }
    await page.keyboard.press('m');
    await rows.nth(2).getByText('Assigned to you').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Mine' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('link', { name: 'Unassigned' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('link', { name: 'History' }).click();
    const decided = page.getByRole('list', { name: 'Decisions, the newest first' }).getByRole('listitem');
    await decided.getByText('approved a version: com.example.leaky 1.0.0').waitFor();
    await page.getByRole('link', { name: 'You', exact: true }).click();
    await page.getByText('No decisions').waitFor();
    expect(incidents).toEqual([]);
  });

  it('shows the notice about a passkey again after a day, once it was hidden', async () => {
    const { page, incidents } = await openAs(browser, store, {
      ...{ name: 'Rita', role: 'moderator', path: '/moderation' },
    });
    const notice = page.getByText('your role needs a passkey');
    await page.getByRole('button', { name: 'Remind me tomorrow' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.goto(`${store.url}/moderation/versions`);
    await page.getByText('1 version waiting').waitFor();
    expect(await notice.count()).toBe(0);
    await page.clock.setFixedTime(Date.now() + 25 * 60 * 60 * 1_000);
    await page.reload();
    await notice.waitFor();
    expect(incidents).toEqual([]);
  });

  it('says which kind cannot be read, and shows the others', async () => {
    const { page } = await openAs(browser, store, {
      ...{ name: 'Nia', role: 'moderator', path: '/account' },
    });
    await page.route('**/api/moderation/reports', (route) => route.abort());
    await page.goto(`${store.url}/moderation`);
    await page.getByText('Reports could not be read. Reload the list to try again.').waitFor();
    await page.getByRole('link', { name: 'Waits' }).waitFor();
    await page.unroute('**/api/moderation/reports');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('link', { name: 'Leaky' }).waitFor();
    expect(await page.getByText('could not be read').count()).toBe(0);
  });

  it('shows filtered versions at the address that they had', async () => {
    const { page } = await openAs(browser, store, {
      ...{ name: 'Ola', role: 'moderator', path: '/moderation?assigned=me' },
    });
    await page.getByRole('heading', { level: 1, name: 'Versions' }).waitFor();
    await page.getByText('No versions match these filters').waitFor();
  });
});
