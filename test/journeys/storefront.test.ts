import { apiRequest } from '@svc/contracts/client';
import { automationOf, DEEP, KNOWN_APPS, LOOKS, png } from '@svc/testkit';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { publishApp, seed } from '../../apps/web/test/support/seed.ts';

/** Pages of every kind; the home page includes its featured row. */
const PAGES = [
  '/',
  '/?q=nothing-at-all',
  '/categories/design',
  '/categories/nothing',
  '/apps/com.acme.notes',
  '/publishers/acme',
];

const EVIL = `"><script>alert(1)</script><svg onload=alert(2)><a href="javascript:alert(3)">x</a>`;

describe('the public pages, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    await seed(store);
    await publishApp(store, {
      id: 'com.evil.pad',
      name: '<img src=x onerror=alert(4)>',
      publisher: 'acme',
      description: EVIL,
      permissions: [EVIL],
    });
    const apps = [...KNOWN_APPS.slice(0, 5).map(({ appId }) => appId), 'com.evil.pad'];
    await automationOf(store.url, store.adminToken).ask(
      apiRequest('PUT /api/admin/featured', { json: { apps } }),
    );
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  it('suggest an app for a misspelt query while the visitor types, and link to it', async () => {
    const { page, incidents, requests } = await openPage(browser, store.url);
    await page.keyboard.press('/');
    await page.keyboard.type('photodsk');
    // In a status that stood before: screen readers read no other.
    await page.getByRole('status').getByText('1 app', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toContain('q=photodsk');
    expect(await page.locator('#q:focus').count()).toBe(1);
    await page.getByRole('link', { name: 'PhotoDesk' }).click();
    await page.getByRole('heading', { name: 'PhotoDesk', level: 1 }).waitFor();
    await page.goBack();
    expect(await page.locator('#q').inputValue()).toBe('photodsk');
    expect(incidents).toEqual([]);
    expect(requests.filter((address) => !address.startsWith(store.url))).toEqual([]);
  });

  it('stay when the store cannot be reached while the visitor types, and say so; so does a passkey', async () => {
    const { page } = await openPage(browser, store.url);
    await page.context().setOffline(true);
    await page.locator('#q').fill('photo');
    await page.getByRole('status').getByText('The store cannot be reached.').waitFor();
    expect(await page.locator('#q').inputValue()).toBe('photo');
    expect(await page.locator('#results .app-card').count()).toBeGreaterThan(0);
    await page.context().setOffline(false);
    await page.locator('#q').fill('photodesk');
    await page.getByRole('status').getByText('1 app', { exact: true }).waitFor();
    await page.goto(`${store.url}/sign-in`);
    await page.route('**/api/sign-in/**', (route) => route.fulfill({ status: 503, body: '<h1>503</h1>' }));
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('alert').getByText('The store cannot be reached.').waitFor();
    await page.context().close();
  });

  it('search and show an app without scripts', async () => {
    const { page } = await openPage(browser, store.url, { javaScriptEnabled: false });
    await page.getByRole('searchbox').fill('calendar');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: 'Acme Calendar' }).click();
    await page.getByRole('heading', { name: 'Permissions', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Install', exact: true }).getAttribute('href')).toBe(
      `svc://install/com.acme.calendar?store=${encodeURIComponent(store.url)}`,
    );
    expect(await page.getByRole('link', { name: 'No client yet?' }).getAttribute('href')).toBe('/cli#client');
    await page.goto(`${store.url}/check`);
    await page.getByRole('main').getByText('The checks need JavaScript.').waitFor();
  });

  it('say how to install an app where no client takes the link', async () => {
    const { page, incidents } = await openPage(browser, `${store.url}/apps/com.acme.calendar`);
    const sheet = page.getByRole('dialog', { name: 'Install Acme Calendar' });
    const install = page.getByRole('link', { name: 'Install', exact: true });
    // Another program that opens takes the focus.
    await install.click();
    const handed = page.getByText('Continue in your chat client.');
    expect(await handed.isVisible()).toBe(false);
    await page.evaluate("dispatchEvent(new Event('blur'))");
    await handed.waitFor();
    await page.waitForTimeout(1_800);
    expect(await sheet.count()).toBe(0);
    await install.click();
    await sheet.getByText(`svc install com.acme.calendar --store ${store.url}`, { exact: true }).waitFor();
    await sheet.getByRole('img', { name: 'This page on another device' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await sheet.count()).toBe(0);
    expect((await page.locator(':focus').textContent())?.trim()).toBe('Install');
    await page.getByRole('link', { name: 'Rate this app' }).click();
    await page.getByRole('dialog', { name: 'Rate Acme Calendar' }).waitFor();
    expect(incidents).toEqual([]);
  });

  it('browse the categories, and search within one', DEEP, async () => {
    const { page, incidents } = await openPage(browser, store.url);
    await page.getByRole('link', { name: 'Design', exact: true }).click();
    await page.waitForURL('**/categories/design');
    await page.getByRole('heading', { name: 'Design', level: 1 }).waitFor();
    await page.getByLabel('Sort by').selectOption('name');
    await page.waitForURL('**/categories/design?sort=name');
    await page.locator('#q').pressSequentially('photo');
    await page.waitForURL((url) => url.searchParams.get('q') === 'photo');
    expect(new URL(page.url()).searchParams.get('category')).toBe('design');
    await page.locator('#q').fill('');
    await page.waitForURL('**/categories/design');
    expect(incidents).toEqual([]);
    await page.goto(`${store.url}/categories/nothing`);
    await page.getByRole('heading', { name: 'There is no such category' }).waitFor();
    await page.getByRole('link', { name: 'Games', exact: true }).click();
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
  });

  it('run no code from the texts of an app', async () => {
    const { page, incidents } = await openPage(browser, `${store.url}/?q=${encodeURIComponent(EVIL)}`);
    await page.goto(`${store.url}/?q=evil`);
    await page.getByRole('link', { name: '<img src=x onerror=alert(4)>' }).click();
    await page.getByRole('heading', { name: 'Permissions', exact: true }).waitFor();
    // Data for search engines is in a block that no browser runs.
    const running =
      'script:not([src], [type="application/ld+json"]), [onload], [onerror], [href^="javascript:"]';
    expect(await page.locator(running).count()).toBe(0);
    expect(incidents).toEqual([]);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`have no serious axe violations, in ${colorScheme}, ${width} wide`, options, async () => {
      for (const path of PAGES) {
        const options = { colorScheme, viewport: { width, height: 800 } };
        const { page } = await openPage(browser, store.url + path, options);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: typeof axe }).axe.run(),
        );
        expect([path, width, violations.map(({ id, impact }) => `${impact}: ${id}`)]).toEqual([
          path,
          width,
          [],
        ]);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([path, width, overflow]).toEqual([path, width, 0]);
        await page.context().close();
      }
    });

  it('enlarge pictures, also by keyboard', async () => {
    const screenshots = ['assets/one.png', 'assets/two.png'];
    const branding = { icon: 'assets/icon.svg', screenshots };
    const files = { 'assets/one.png': png(640, 400, 0x40), 'assets/two.png': png(640, 400, 0x80) };
    await publishApp(store, { id: 'com.acme.seen', name: 'Seen', publisher: 'acme', branding }, files);
    const { page, incidents } = await openPage(browser, `${store.url}/apps/com.acme.seen`);
    await page.getByRole('link', { name: 'Seen: Screenshots 1/2' }).focus();
    await page.keyboard.press('Enter');
    const large = page.getByRole('dialog').getByRole('img');
    expect(await large.getAttribute('alt')).toBe('Seen: Screenshots 1/2');
    await page.keyboard.press('ArrowRight');
    expect(await large.getAttribute('alt')).toBe('Seen: Screenshots 2/2');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(incidents).toEqual([]);
  });
});
