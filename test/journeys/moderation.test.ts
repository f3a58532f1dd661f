import { DEEP, LOOKS } from '@svc/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillQueue, SCROLL } from '../../apps/web/test/support/long-queue.ts';
import { NEEDS_BROWSER, openPage } from '../../apps/web/test/support/real-browser.ts';
import { publishApp, submitApp } from '../../apps/web/test/support/seed.ts';
import { type Desk, incidentsOf, openDesk, screenOf } from './support/moderation-desk.ts';

const OTHER_ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><circle cx="256" cy="256" r="200" fill="#a30"/></svg>\n';

/** The property of an `<img>` that a test reads. */
type Shown = { naturalWidth: number };

/** Whether the Approve button is inside the window and not covered. */
const APPROVE_IS_IN_VIEW = `(() => {
  const button = document.querySelector('.decide button.main');
  const { left, top, width, height } = button.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2) === button;
})()`;

/** The violations that axe finds in a page that has its script, and by how much the page is wider than its window. */
async function axeOf(page: Page): Promise<readonly unknown[]> {
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return [
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
  ];
}

describe('the moderation desk, in a real browser', NEEDS_BROWSER, () => {
  let { browser, store, anna, ben, close } = {} as Desk;

  beforeAll(async () => {
    ({ browser, store, anna, ben, close } = await openDesk());
  });
  afterAll(async () => {
    await close?.();
  });

  it('answers each press in the queue', async () => {
    const { page } = anna;
    const size = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ ...size, height: 480 });
    await page.goto(`${store.url}/moderation/versions`);
    await page.locator('.queue-row .name').first().waitFor();
    // The list is longer than its box, which starts at the first row.
    const top = await page
      .locator('.window.queue')
      .evaluate((box) => [box.scrollTop, box.scrollHeight > box.clientHeight]);
    expect(top).toEqual([0, true]);
    await page.setViewportSize(size);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText(/^Updated at /).waitFor();
    await page.locator('.queue-row .name').first().waitFor();
    expect(await page.getByRole('link', { name: 'Clear' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Choose a filter first.').waitFor();
    await page.locator('.queue-filters').getByText('More', { exact: true }).click();
    await page.locator('input[name=publisher]').fill('no-such-publisher');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No versions match these filters').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('These filters are applied already.').waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.locator('.queue-row .name').first().waitFor();
  });

  it('shows the new permissions of an update first', async () => {
    const { page } = anna;
    await page.goto(store.url + screenOf('com.example.notes', '1.1.0'));
    const panel = page.locator('.changes-panel');
    await panel.getByRole('heading', { name: 'Asks for 2 new permissions since 1.0.0' }).waitFor();
    const lines = await panel.locator('.widens li').allInnerTexts();
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      '+ added May ask to save a file into the project folder',
      '+ added Contacts *.tracker.example (every name below it)',
    ]);
    // Without scrolling, below what users recognise the app by.
    expect((await panel.locator('.widens li').last().boundingBox())?.y).toBeLessThan(700);
    expect((await page.locator('.review-head .app-icon').boundingBox())?.y).toBeLessThan(400);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('*.tracker.example').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
  });

  it('shows what changed in each file, line by line', async () => {
    const { page } = anna;
    await page.getByRole('tab', { name: 'Files' }).click();
    const files = page.getByRole('tabpanel', { name: 'Files' });
    await files.getByRole('button', { name: /notes\.js/ }).click();
    await files.getByText('let c = 3;').waitFor();
    expect(await files.locator('.line.added code').allInnerTexts()).toEqual(['let c = 3;']);
    expect(await files.locator('.line.removed').count()).toBe(0);
  });

  it('has its evidence in tabs for the keyboard, which the address keeps', async () => {
    const { page } = anna;
    const screen = store.url + screenOf('com.example.notes', '1.1.0');
    await page.goto(screen);
    const tab = (name: string) => page.getByRole('tab', { name, selected: true });
    await tab('Permissions 2 new permissions').waitFor();
    await page.getByRole('tab', { name: /^Files \d+ files? changed$/ }).waitFor();
    await tab('Permissions').focus();
    await page.keyboard.press('ArrowLeft');
    await tab('History').waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await tab('Listing').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Listing/);
    // One of the tabs is a stop of the Tab key, and the panel is the next.
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.getAttribute('role')`)).toBe('tabpanel');
    expect(await page.getByRole('tabpanel').count()).toBe(1);
    await page.keyboard.press('3');
    await tab('Tools').waitFor();
    expect(page.url()).toBe(`${screen}?tab=tools`);
    await page.reload();
    await tab('Tools').waitFor();
    // A key for the files shows them.
    await page.locator('.browser').waitFor({ state: 'attached' });
    await page.keyboard.press('j');
    await tab('Files').waitFor();
    await page.locator('.browser').waitFor();
    await page.keyboard.press('End');
    await page.emulateMedia({ media: 'print' });
    await page.locator('.changes-panel').waitFor();
    await page.emulateMedia({ media: null });
    await page.locator('.changes-panel').waitFor({ state: 'hidden' });
  });

  it('shows old and new presentation of an app side by side', async () => {
    const { page } = anna;
    const id = 'com.example.faces';
    await publishApp(store, { id, name: 'Faces', publisher: 'example' });
    await submitApp(
      store,
      { id, name: 'Faces and more', version: '1.1.0', branding: { icon: 'assets/other.svg' } },
      { 'assets/other.svg': OTHER_ICON },
    );
    await page.goto(store.url + screenOf(id, '1.1.0'));
    const panel = page.locator('section.changes.face');
    await panel.getByText('Faces and more').waitFor();
    expect(await panel.locator('.before .value').allInnerTexts()).toContain('Faces');
    const pictures = panel.getByRole('img');
    expect(await pictures.evaluateAll((all) => all.map((one) => one.getAttribute('alt')))).toEqual([
      'Icon of 1.0.0',
      'Icon of 1.1.0',
      'Mark of 1.0.0',
    ]);
    // The browser could decode each picture.
    await expect
      .poll(() => pictures.evaluateAll((all) => all.every((one) => (one as Shown).naturalWidth > 0)))
      .toBe(true);
    await page.goto(`${store.url}/moderation?appId=${id}`);
    await page.getByText('Changes how it presents itself').last().waitFor();
  });

  it('keeps the decision visible, and opens the file with a finding', async () => {
    const { page } = anna;
    const id = 'com.example.flagged';
    const bad =
      'var _0x1a2b=["\\x68\\x65"];(function(_0x3c,_0x4d){while(--_0x4d){_0x3c["push"](_0x3c["shift"]())}})(_0x1a2b,0x12);eval(atob("YWxlcnQoMSk="));';
    await submitApp(store, { id, name: 'Flagged' }, { 'ui/app.js': bad.repeat(6) });
    await page.goto(store.url + screenOf(id));
    // A finding is above the tabs, whichever is open.
    await page.getByRole('heading', { name: 'Findings' }).waitFor();
    await page.getByText('bundle.obfuscated', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('heading', { name: 'ui/app.js', level: 3 }).waitFor();
    expect(await page.title()).toBe(`${id} 1.0.0 · Moderation · svc app store`);
    for (const end of ['Home', 'End']) {
      await page.keyboard.press(end);
      await expect.poll(() => page.evaluate(APPROVE_IS_IN_VIEW)).toBe(true);
    }
  });

  it('runs no code of an app, and sends no request to another host', DEEP, async () => {
    const { page, requests } = anna;
    await page.goto(store.url + screenOf('com.evil.pad'));
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(5)>' }).waitFor();
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      for (const summary of await page.locator('details > summary:visible').all()) await summary.click();
    }
    await page.getByRole('tab', { name: 'Files' }).click();
    const tree = page.getByRole('list', { name: 'Files of the bundle' });
    await tree.waitFor();
    for (const file of await tree.getByRole('button').all()) {
      await file.click();
      await page.locator('.file h3').waitFor();
      await page.locator('.source .line, .file .soft').first().waitFor();
    }
    await page.getByText('safe txt.exe').first().waitFor({ state: 'attached' });
    const markup = 'script:not([src]), iframe, [onload], [onerror], [onfocus], [href^="javascript:"], main b';
    expect(await page.locator(markup).count()).toBe(0);
    expect(incidentsOf(anna, ben)).toEqual([]);
    expect(requests.filter((address) => !address.startsWith(store.url))).toEqual([]);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations, in ${colorScheme}, ${width} wide`, options, async () => {
      const { page } = anna;
      await page.emulateMedia({ colorScheme });
      for (const path of [
        '/moderation',
        '/moderation/versions',
        screenOf('com.example.notes', '1.1.0'),
        screenOf('com.evil.pad'),
      ]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(store.url + path);
        await page.locator('.queue-row, .source .line').first().waitFor({ state: 'attached' });
        await page.evaluate(axe.source);
        expect([path, width, ...(await axeOf(page))]).toEqual([path, width, [], 0]);
        // What a closed tab has was not looked at.
        for (const tab of (await page.getByRole('tab').all()).slice(1)) {
          await tab.click();
          expect([path, width, ...(await axeOf(page))]).toEqual([path, width, [], 0]);
        }
      }
    });

  it('scrolls through ten thousand versions without a long frame', {
    ...DEEP,
    timeout: 120_000,
  }, async () => {
    fillQueue(store.dataDir, 'com.evil.pad', 10_000);
    const { page } = anna;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${store.url}/moderation/versions`);
    await page.getByText(/^10,00\d versions waiting$/).waitFor();
    const figures = await page.evaluate<{ longestFrame: number }>(SCROLL);
    expect(figures.longestFrame).toBeLessThan(1_000);
    // The list reaches its real end.
    await page.getByText('Copy 9999', { exact: true }).waitFor();
    expect(await page.locator('.queue-row').count()).toBeLessThan(60);
    // Keys continue from the active row, and the focused row is visible.
    await page.keyboard.press('End');
    await page.locator('.queue-row:focus').waitFor();
    const box = await page.locator('.queue-row:focus').boundingBox();
    expect(box?.y).toBeLessThan(800);
    await page.keyboard.press('k');
    await page.locator('.queue-row:focus').getByText('Copy 9998', { exact: true }).waitFor();
  });

  it('is closed to users who are not moderators', async () => {
    const visitor = await openPage(browser, `${store.url}/moderation/versions`);
    expect(new URL(visitor.page.url()).pathname).toBe('/sign-in');
    const answer = await ben.page.goto(`${store.url}/admin`);
    expect(answer?.status()).toBe(403);
  });
});
