import { DEEP, png, SCHEMES } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../apps/web/test/support/faults-of.ts';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { type Demo, openDemo } from '../../tools/demo/open-demo.ts';

const pictureFile = (name: string, width: number) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(png(width, 480)),
});

/** Whether the buttons of the last card are inside the thread. */
const IN_VIEW = `(() => {
  const thread = document.querySelector('.thread').getBoundingClientRect();
  const buttons = [...document.querySelectorAll('.inline-card .buttons')].at(-1).getBoundingClientRect();
  return buttons.top >= thread.top && buttons.bottom <= thread.bottom;
})()`;

describe('the chat, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let demo: Demo;
  let page: Page;
  let context: BrowserContext;
  let incidents: string[];

  beforeAll(async () => {
    [browser, demo] = await Promise.all([shareBrowser(), openDemo({ open: false, ports: {} })]);
    ({ page, incidents } = await openPage(browser, demo.desktop));
    context = page.context();
  });
  afterAll(async () => {
    await closeContexts(browser);
    await demo?.close();
  });

  const card = (name: string) =>
    page.locator('.inline-card').getByRole('button', { name, exact: true, disabled: false });
  const sendText = async (text: string) => {
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };

  it('opens a conversation whose first message explains what to type, and whose model is named as a script', async () => {
    const first = page.getByRole('article', { name: 'script (not an AI)' });
    await first.getByText('This is a script, not an AI.').waitFor();
    await first.getByText('pin these two pictures to my board').waitFor();
    expect(await page.getByLabel('Model', { exact: true }).locator('option:checked').innerText()).toBe(
      'Demo: script (not an AI)',
    );
    // The current conversation is listed in the project.
    await page.getByRole('link', { name: 'Start here' }).waitFor();
    // The message does not answer a user, so it has no Retry button.
    expect(await first.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await sendText('hello');
    await page.getByText('This is a script, not an AI.').nth(1).waitFor();
    expect(await page.getByRole('article').count()).toBe(3);
  });

  it('pins two pictures, with the cards in the conversation', async () => {
    await page.goto(`${new URL(demo.desktop).origin}/#/store/com.example.pinboard`);
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    await page.getByRole('link', { name: 'Open app' }).click();
    await page.goto(`${new URL(demo.desktop).origin}/#/chat`);
    const field = page.locator('input[type=file]');
    await field.setInputFiles([pictureFile('lake.png', 640), pictureFile('hill.png', 500)]);
    await sendText('pin these two pictures to my board');
    await card('Connect').waitFor();
    // The card is in view below the two pictures, and waits there while another page is open.
    expect(await page.evaluate(IN_VIEW)).toBe(true);
    expect(await page.title()).toMatch(/^\(1\) /);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Review' }).click();
    await card('Connect').click();
    const [signIn] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open sign-in page' }).click(),
    ]);
    await signIn.getByLabel('Your name').fill('anna');
    await signIn.getByRole('button', { name: 'Sign in' }).click();
    await signIn.getByRole('button', { name: 'Allow', exact: true }).click();
    await signIn.getByText('You can close this tab').waitFor();
    await signIn.close();
    await page.locator('.inline-card').getByText('Pin 2 pictures?').waitFor();
    // The card, and the response that waits for it, survive a reload.
    await page.reload();
    await page.locator('.inline-card').getByText('Pin 2 pictures?').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.locator('.asked.accepted').count()).toBe(1);
    await page.bringToFront();
    await card('Pin').click();
    await page.getByText('Done. The row above').waitFor();
    expect(await page.locator('.asked.accepted').count()).toBe(2);
  });

  it('shows the arguments of a tool without an approval card', async () => {
    await sendText('what is on my board?');
    await page
      .locator('.inline-card')
      .getByText(/^Run .+ in Pinboard\?$/)
      .waitFor();
    await card('Allow').click();
    await page.getByText('Done. The row above').nth(1).waitFor();
  });

  it('keeps two windows in sync, and closes a card that is answered in the other window', async () => {
    // The address opens a window with a session of its own.
    const other = await context.newPage();
    await other.goto(page.url());
    const windows = [page, other];
    await other.getByText('Done. The row above').nth(1).waitFor();
    await page.bringToFront();
    await sendText('draw a contact sheet');
    for (const window of windows) await window.locator('.inline-card').waitFor();
    await other.bringToFront();
    await other
      .locator('.inline-card')
      .getByRole('button', { name: 'Allow', exact: true, disabled: false })
      .click();
    for (const window of windows) await window.getByText('Done. The row above').nth(2).waitFor();
    expect(await page.locator('.inline-card').count()).toBe(0);
    // A message outside the viewport is not laid out, and has no inner text.
    const said = (one: Page) => one.getByRole('article').allTextContents();
    await eventually(async () => {
      const here = await said(page);
      expect(here).toHaveLength(6);
      expect(await said(other)).toEqual(here);
    });
    await other.close();
    await page.bringToFront();
  });

  it('docks the panel of the app beside the conversation', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Open Board' }).first().click();
    const dock = page.locator('.dock');
    await dock.locator('iframe').waitFor();
    const [side, chat] = [await dock.boundingBox(), await page.locator('.chat').boundingBox()];
    expect(side?.x).toBeGreaterThanOrEqual((chat?.x ?? 0) + (chat?.width ?? 0));
    // From the header to the lower edge and the end of the window, whatever it shows.
    const header = await page.locator('.top').boundingBox();
    const under = (header?.y ?? 0) + (header?.height ?? 0);
    const { x = 0, y = 0, width = 0, height = 0 } = side ?? {};
    expect([y, y + height, x + width, width].map(Math.round)).toEqual([Math.round(under), 800, 1280, 512]);
    await dock.getByRole('button', { name: /^Close/ }).click();
    expect(await dock.count()).toBe(0);
  });

  it(
    'keeps the keyboard from a docked panel, resizes it, and shows it after a reload, and as a sheet on a phone',
    DEEP,
    async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Open Board' }).first().click();
      const board = page.frameLocator('.dock iframe').frameLocator('iframe');
      await board.getByText('Pinned from a conversation').first().waitFor();
      // While a field of the client is active, the docked panel takes neither presses nor keys.
      const field = page.locator('.composer textarea');
      const panel = page.frames().find((one) => one.parentFrame()?.parentFrame() === page.mainFrame());
      const isInert = () =>
        page.evaluate<[string, number]>(
          '(({ style, tabIndex }) => [style.pointerEvents, tabIndex])(document.querySelector(".dock iframe"))',
        );
      await field.click();
      await page.keyboard.type('the password ');
      expect(await isInert()).toEqual(['none', -1]);
      await panel?.evaluate(
        'window.focus(), document.body.appendChild(document.createElement("input")).focus()',
      );
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
      await page.keyboard.type('is hunter2');
      expect(await field.inputValue()).toBe('the password is hunter2');
      await field.fill('');
      await field.blur();
      expect(await isInert()).toEqual(['', 0]);
      const dock = page.locator('.dock');
      const widthOf = async () => (await dock.boundingBox())?.width ?? 0;
      const before = await widthOf();
      await page.getByRole('separator', { name: 'Resize panel' }).press('ArrowLeft');
      expect(await widthOf()).toBeCloseTo(before + 1280 * 0.02, 0);
      const edge = await page.getByRole('separator').boundingBox();
      await page.mouse.move((edge?.x ?? 0) + 4, 300);
      await page.mouse.down();
      await page.mouse.move((edge?.x ?? 0) - 60, 300, { steps: 5 });
      await page.mouse.up();
      expect(await widthOf()).toBeGreaterThan(before + 60);
      await page.reload();
      await board.getByText('Pinned from a conversation').first().waitFor();
      expect(await widthOf()).toBeGreaterThan(before + 60);
      const side = await dock.boundingBox();
      const chat = await page.locator('.conversation').boundingBox();
      expect(side?.x).toBeGreaterThanOrEqual((chat?.x ?? 0) + (chat?.width ?? 0));
      expect(await faultsOf(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      // A sheet that covers nothing, and folds.
      const boxOf = async (selector: string) => {
        const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator(selector).boundingBox()) ?? {};
        return { x, width, top: y, bottom: y + height };
      };
      const sheet = await boxOf('.dock');
      expect([sheet.x, sheet.width]).toEqual([0, 390]);
      expect(sheet.top).toBeGreaterThanOrEqual((await boxOf('.composer')).bottom);
      expect(sheet.bottom).toBeLessThanOrEqual((await boxOf('.side')).top);
      await page.getByRole('button', { name: /^Fold / }).click();
      await expect.poll(async () => (await boxOf('.dock')).top).toBeGreaterThan(sheet.top + 200);
      await page.getByRole('button', { name: /^Close Pinboard/ }).click();
      expect(await page.locator('.dock').count()).toBe(0);
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );

  it('can be installed as a web app', async () => {
    const tools = await context.newCDPSession(page);
    const { errors, data } = await tools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data ?? '');
    expect(manifest).toMatchObject({ name: expect.any(String), display: 'standalone', start_url: '/' });
    for (const { src, sizes } of manifest.icons) {
      const png = await (await page.request.get(new URL(src, page.url()).href)).body();
      // Width and height begin the first chunk (PNG, section 11.2.1).
      expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes);
    }
    expect(manifest.icons.map(({ sizes }: { sizes: string }) => sizes)).toContain('512x512');
    const { installabilityErrors } = await tools.send('Page.getInstallabilityErrors');
    // Headless contexts are incognito, in which no app can be installed. Chromium's headless shell does not check the manifest.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  });

  for (const [colorScheme, options] of SCHEMES)
    it(`has no faults at any width in ${colorScheme}`, options, async () => {
      await page.emulateMedia({ colorScheme });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await faultsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
      // Headers of panels use directives that some browsers do not support yet; others log a refused request, which the test expects.
      expect(
        incidents.filter(
          (text) => !/Permissions-Policy|Unrecognized Content-Security|ERR_NETWORK_ACCESS_REVOKED/.test(text),
        ),
      ).toEqual([]);
    });
});
