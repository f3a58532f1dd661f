import { LOOKS } from '@svc/testkit';
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

const PATHS = [
  '/docs',
  '/api/docs',
  '/api/docs?q=token',
  '/docs/operating',
  '/docs/client',
  '/docs/relay',
  '/docs?q=key',
  '/docs/codes',
];

describe('the documentation, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  it('can be searched, read and navigated without scripts', async () => {
    const { page, incidents, requests } = await openPage(browser, `${store.url}/docs`, {
      javaScriptEnabled: false,
    });
    await page.getByRole('searchbox').fill('rotate keys');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: 'Backups, keys and clocks › Keys' }).click();
    await page.getByRole('heading', { name: 'Backups, keys and clocks', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe('#keys');
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').last().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).not.toBe('/docs/backup');
    await page.locator('#content').getByRole('link', { name: 'Documentation' }).click();
    await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
    expect(incidents).toEqual([]);
    expect(requests.filter((address) => !address.startsWith(store.url))).toEqual([]);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(
      `has nothing for axe to find, and fits the screen, in ${colorScheme}, ${width} wide`,
      options,
      async () => {
        const viewport = { width, height: 900 };
        const { page } = await openPage(browser, `${store.url}/docs`, {
          colorScheme,
          viewport,
          bypassCSP: true,
        });
        for (const path of PATHS) {
          await page.goto(store.url + path);
          expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
          await page.evaluate(axe.source);
          const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] };
          expect([path, violations.map(({ id }) => id)]).toEqual([path, []]);
        }
        await page.context().close();
      },
    );
});
