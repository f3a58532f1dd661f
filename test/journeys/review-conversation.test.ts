import { DEEP } from '@svc/testkit';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeContexts,
  NEEDS_BROWSER,
  type openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { submitApp } from '../../apps/web/test/support/seed.ts';
import { openAs } from '../../apps/web/test/support/staff.ts';

const HOSTILE = '<img src=x onerror="document.title=`gone`"> Why api.example.com?';
const SCREEN = '/moderation/apps/com.example.notes/versions/1.0.0';
const OWN = '/account/publishers/example/apps/com.example.notes';

describe('a review with its publisher, in a real browser', { ...NEEDS_BROWSER, ...DEEP }, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  let anna: Awaited<ReturnType<typeof openPage>>;
  let carl: Awaited<ReturnType<typeof openPage>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    carl = await openAs(browser, store, { name: 'Carl', role: 'moderator', path: '/account/publishers' });
    const { page } = carl;
    const csrf = await page.evaluate(async () => {
      const me = (await (await fetch('/api/people/me')).json()) as { csrf: string };
      return me.csrf;
    });
    const ask = (path: string, json: object) =>
      page.evaluate(
        async ({ path, json, csrf }) => {
          const headers = { 'Content-Type': 'application/json', 'X-Svc-Csrf': csrf };
          return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(json) })).json();
        },
        { path, json, csrf },
      );
    await ask('/api/publishers', { slug: 'example', name: 'Example' });
    for (const manifest of [{}, { id: 'com.example.second', name: 'Second' }])
      await submitApp(store, manifest);
    anna = await openAs(browser, store, { name: 'Anna', role: 'moderator', path: '/moderation/versions' });
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  it('is assigned, and receives a request for changes, by keyboard alone; markup stays text', async () => {
    const { page } = anna;
    await page.goto(store.url + SCREEN);
    await page.getByText('Locked by you until').waitFor();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Assign to me (m)' }).waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What the publisher must change').fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Request changes' }).press('Enter');
    await page.getByText('Changes requested. The publisher is notified').waitFor();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.locator('.message').getByText(HOSTILE).waitFor();
    expect(await page.locator('.message img').count()).toBe(0);
    await page.goto(`${store.url}/moderation?assigned=me`);
    await page.getByText('Changes requested', { exact: true }).waitFor();
  });

  it('is answered on the page of the version, which closes the request', async () => {
    const { page } = carl;
    await page.goto(store.url + OWN);
    await page.locator('.message').getByText(HOSTILE).waitFor();
    expect(await page.locator('.message').innerText()).toMatch(/^Anna, moderator/);
    await page.getByLabel('Message to the moderators').fill('It serves pictures.');
    await page.getByRole('button', { name: 'Send answer' }).press('Enter');
    await page.locator('.message.publisher').getByText('It serves pictures.').waitFor();
    await page.getByText('The review continues when the publisher answers').waitFor({ state: 'detached' });
    expect(await page.title()).not.toBe('gone');
  });

  it('cannot be approved by a member of the publisher, who sees why', async () => {
    const { page } = carl;
    await page.goto(store.url + SCREEN);
    // What the publisher wrote is counted on a closed tab.
    await page.getByRole('tab', { name: 'Messages 1 unanswered message', selected: false }).waitFor();
    await page.getByText('You are a member of its publisher').waitFor();
    expect(await page.getByRole('button', { name: 'Approve (a)' }).isDisabled()).toBe(true);
  });

  it('is shown next to the queue in a wide window, with shortcuts to the next version', async () => {
    const { page } = anna;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${store.url}/moderation?assigned=nobody`);
    await page.locator('.queue-row').waitFor();
    await page.goto(`${store.url}/moderation/versions`);
    await page.locator('.queue-row').nth(1).waitFor();
    await page.goto(store.url + SCREEN);
    await page.locator('.queue-pane a[aria-current]').getByText('Notes').waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await page.locator('.queue-pane').waitFor({ state: 'detached' });
  });

  it.each([390, 1280])('passes axe, and fits a width of %i', DEEP, async (width) => {
    const { page } = anna;
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${store.url}${SCREEN}?tab=messages`);
    await page.locator('.message.publisher').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] };
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});
