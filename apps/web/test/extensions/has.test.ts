import { EXTENSION_NAMES } from '@svc/contracts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeContexts, NEEDS_BROWSER, shareBrowser } from '../support/real-browser.ts';
import { openRealStore } from '../support/real-store.ts';
import { openAs } from '../support/staff.ts';

let browser: Browser;
let store: Awaited<ReturnType<typeof openRealStore>>;

beforeAll(async () => {
  const settings = { SVC_WITHOUT: EXTENSION_NAMES.join(',') };
  [browser, store] = await Promise.all([shareBrowser(), openRealStore({ settings })]);
});
afterAll(async () => {
  await closeContexts(browser);
  await store?.close();
});

const tabs = async (page: Page, area: string): Promise<string[]> => {
  const links = page.getByRole('navigation', { name: area }).getByRole('link');
  await links.first().waitFor();
  return links.allTextContents();
};

it(
  'a store without extensions offers none of their pages, and has none at their addresses',
  NEEDS_BROWSER,
  async () => {
    const { page, incidents } = await openAs(browser, store, {
      name: 'Ada',
      role: 'administrator',
      path: '/moderation',
    });
    expect(await tabs(page, 'Moderation')).toEqual(['Inbox', 'Versions', 'Instructions']);
    await page.goto(`${store.url}/admin`);
    const admin = await tabs(page, 'Administration');
    expect(admin).toContain('Health');
    expect(admin).not.toContain('Emergencies');
    expect(admin).not.toContain('Featured');
    for (const path of [
      '/moderation/reviews',
      '/admin/emergencies',
      '/admin/featured',
      '/admin/upstreams',
      '/admin/managed',
      '/admin/webhooks',
      '/account/apps/com.example.notes/review',
    ]) {
      await page.goto(store.url + path);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }
    await page.goto(`${store.url}/admin/settings`);
    await page
      .getByRole('heading', { name: 'SVC_WITHOUT' })
      .or(page.getByText('SVC_WITHOUT'))
      .first()
      .waitFor();
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(incidents).toEqual([]);
  },
);
