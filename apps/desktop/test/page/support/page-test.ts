import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { openBrowser, openPage } from './browser.ts';
import { openFakeDesktop } from './fake-desktop.ts';
import { manyApps, sampleAnswers } from './sample-answers.ts';

/** The size of the tab, in CSS pixels. */
const VIEWPORT = { width: 1280, height: 720 };

/** The app of most tests. */
export const NOTES = 'com.example.notes';

/** Waits until the page is loaded and its event stream is open. */
async function ready(page: Page, following: () => number): Promise<void> {
  await page.getByRole('heading', { name: 'Store', level: 1 }).waitFor();
  await expect.poll(following).toBe(1);
}

/** Removes what a test left in the page that all tests of a worker use. */
async function reset(page: Page, origin: string): Promise<void> {
  await page.context().clearPermissions();
  await page.emulateMedia({ colorScheme: null, forcedColors: null, media: null, reducedMotion: null });
  await page.setViewportSize(VIEWPORT);
  if (!page.url().startsWith(origin)) await page.goto(origin);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.goto('about:blank');
}

/**
 * A test of the page in a real browser, on a fake desktop with the responses of `state` and `desk.answers`. One browser, one built
 * page and one tab serve all tests of a worker: a new context takes as long as half of the tests. The tab is reset after each test;
 * take `enter` for options of a context, or scripts that stay in it. A test whose page reported an error fails.
 */
export const pageTest = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await openBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  .extend('desk', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const desk = await openFakeDesktop({});
    onCleanup(() => desk.close());
    return desk;
  })
  .extend('state', async ({ desk }) => {
    const state = { apps: manyApps(), cards: [] as WaitingCard[], connected: true };
    Object.assign(desk.answers, sampleAnswers(state));
    desk.asked.length = 0;
    return state;
  })
  /** The tab of all tests of this worker, and the errors that its page reported. */
  .extend('tab', { scope: 'worker' }, async ({ browser }) => {
    const tab = await openPage(browser, 'about:blank', { viewport: VIEWPORT });
    tab.page.addInitScript = () => Promise.reject(new Error('An init script stays in the tab: use `enter`.'));
    return tab;
  })
  /** Opens the page by its link, in a new browser context. */
  .extend('enter', async ({ browser, desk, state: _begun }, { onCleanup }) => {
    const entered: Awaited<ReturnType<typeof openPage>>[] = [];
    onCleanup(async () => {
      for (const { page } of entered) await page.context().close();
      await expect.poll(() => desk.following()).toBe(0);
      expect(entered.flatMap(({ incidents }) => incidents)).toEqual([]);
    });
    return async (options: BrowserContextOptions = {}) => {
      const one = await openPage(browser, desk.link(), options);
      entered.push(one);
      await ready(one.page, desk.following);
      return one;
    };
  })
  .extend('page', async ({ desk, tab, state: _begun }, { onCleanup }) => {
    tab.incidents.length = 0;
    onCleanup(async () => {
      await reset(tab.page, desk.origin);
      await expect.poll(() => desk.following()).toBe(0);
      expect(tab.incidents).toEqual([]);
    });
    await tab.page.goto(desk.link());
    await ready(tab.page, desk.following);
    return tab.page;
  })
  /** Reloads the page with another state of the desktop. */
  .extend('startWith', async ({ desk, page, state }) => async (changes: Partial<typeof state>) => {
    Object.assign(state, changes);
    await page.reload();
    await ready(page, desk.following);
  })
  .extend(
    'visit',
    async ({ desk, page }) =>
      (hash: string, heading: string) =>
        visit(page, desk.origin, hash, heading),
  )
  /** The inputs of all calls with a name. */
  .extend(
    'askedFor',
    async ({ desk }) =>
      (name: string) =>
        desk.asked.filter((one) => one.name === name).map(({ input }) => input),
  )
  .extend(
    'dialog',
    async ({ page }) =>
      () =>
        page.getByRole('dialog'),
  )
  .extend(
    'gone',
    async ({ dialog }) =>
      () =>
        dialog().waitFor({ state: 'detached' }),
  )
  /** Presses Escape, once the card was in view long enough. */
  .extend('pressEscape', async ({ page, dialog }) => async () => {
    await dialog().locator('.buttons [aria-disabled="false"]').waitFor();
    await page.keyboard.press('Escape');
  });

/** Opens a view by its hash, and waits for its heading. */
export async function visit(page: Page, origin: string, hash: string, heading: string): Promise<void> {
  await page.goto(`${origin}/#/${hash}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}
