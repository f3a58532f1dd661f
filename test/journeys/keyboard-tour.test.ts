import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, png, TIMEOUT_MS } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER } from '../../apps/web/test/support/real-browser.ts';
import { NEEDS_FIREFOX, openChromium, openFirefox } from '../../packages/runtime/test/support/firefox.ts';
import { type Demo, openDemo } from '../../tools/demo/open-demo.ts';
import { type Browser, FOCUSED, faultsOf, heading, openKeys, type Page, until } from './support/keys.ts';

/** Most keys of the tour, with the 37 letters of its two texts. */
const MAX_KEYS = 140;

/** A desktop window, a phone, and a window of 1280 by 860 pixels enlarged to 200 %. */
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };
const ENLARGED = { width: 640, height: 430 };

const COLORS = { light: 1, dark: 0 } as const;

type Look = { size: typeof WIDE; colors: keyof typeof COLORS };

const button = (text: string, within = '') =>
  `[...document.querySelectorAll('${within} :is(a, button)')].some((one) => one.textContent.trim() === '${text}')`;

const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;

/** Opens the app in the store, and installs it. */
async function install(page: Page, keys: ReturnType<typeof openKeys>) {
  await keys.tabTo(page, /^Store$/, 'back');
  await keys.press(page, 'Enter');
  await until(page, button('Pinboard'));
  await keys.tabTo(page, /^Pinboard$/);
  await keys.press(page, 'Enter');
  await until(page, button('Install'));
  await keys.tabTo(page, /^Install$/);
  await keys.press(page, 'Enter');
  await until(page, button('Install', 'dialog[open]'));
  expect(await faultsOf(page)).toEqual([]);
  await keys.tabTo(page, /^Install$/);
  await keys.press(page, 'Enter');
  await until(page, button('Open app', 'dialog[open]'));
  await keys.tabTo(page, /^Open app$/);
  await keys.press(page, 'Enter');
  await heading(page, 'Pinboard');
  await until(page, `location.hash.startsWith('#/apps/') && document.activeElement.matches('h1')`);
}

/** Opens the first conversation again, and sends two pictures. */
async function send(
  page: Page,
  keys: ReturnType<typeof openKeys>,
  pictures: readonly string[],
  { size }: Look,
) {
  await keys.tabTo(page, /^Chat/, 'back');
  await keys.press(page, 'Enter');
  await until(page, `document.activeElement.matches('.composer textarea')`);
  if (size !== WIDE) {
    await keys.tabTo(page, /^Conversations$/, 'back');
    await keys.press(page, 'Enter');
    await until(page, `document.querySelector('.chats:popover-open')`);
  }
  await keys.tabTo(page, /^Start here$/, size === WIDE ? 'back' : 'on');
  await keys.press(page, 'Enter');
  await until(page, `${shows('This is a script')} && document.activeElement.matches('.composer textarea')`);
  await keys.tabTo(page, /^Attach files$/, 'back');
  const choosing = page.waitForFileChooser();
  // After this the browser gives file dialogs to the test.
  await page.evaluate('0');
  await keys.press(page, 'Enter');
  await (await choosing).accept([...pictures]);
  await until(page, `document.querySelectorAll('.chips li').length === 2 && !${shows('Uploading')}`);
  expect(await page.evaluate(FOCUSED)).toBe('Attach files');
  await keys.tabTo(page, /^Message$/);
  await keys.type(page, 'pin these two pictures to my board');
  await keys.press(page, 'Enter');
}

/** Answers a card with its first button. The focus is in the message field, or on the card if it was lost with what went away before it. */
async function answer(page: Page, keys: ReturnType<typeof openKeys>, title: string, yes: string) {
  await until(page, shows(title));
  expect(await faultsOf(page)).toEqual([]);
  const isOnCard = await page.evaluate(`document.activeElement.matches('.inline-card')`);
  await keys.tabTo(page, new RegExp(`^${yes}$`), isOnCard ? 'on' : 'back');
  await until(page, `document.activeElement.getAttribute('aria-disabled') === 'false'`);
  await keys.press(page, 'Enter');
}

/** Signs in on the page of the app, in its own tab. */
async function signIn(page: Page, keys: ReturnType<typeof openKeys>, { size }: Look) {
  await until(page, button('Open sign-in page'));
  expect(await page.evaluate(FOCUSED)).toBe('Message');
  await keys.tabTo(page, /^Open sign-in page$/, 'back');
  const origin = new URL(page.url()).origin;
  const isOther = (url: string) => url.startsWith('http') && !url.startsWith(origin);
  const opening = page
    .browser()
    .waitForTarget((one) => one.type() === 'page' && isOther(one.url()), { timeout: TIMEOUT_MS });
  await keys.press(page, 'Enter');
  const tab = (await (await opening).page()) ?? expect.fail();
  await tab.setViewport(size);
  await until(tab, `/^Your name/.test(${FOCUSED})`);
  await keys.type(tab, 'anna');
  await keys.press(tab, 'Enter');
  await until(tab, button('Allow'));
  await keys.tabTo(tab, /^Allow$/);
  await keys.press(tab, 'Enter');
  await until(tab, shows('You can close this tab'));
  await tab.close();
  await page.bringToFront();
  await until(page, `!document.querySelector('.banner')`);
}

/** Opens the board beside the conversation, waits for its two pins and as many pictures as the browser shows, and closes it. */
async function lookAtBoard(page: Page, keys: ReturnType<typeof openKeys>, pictures: number) {
  await keys.tabTo(page, /^Open Board$/, 'back');
  await keys.press(page, 'Enter');
  await until(page, `document.activeElement.matches('.dock-bar h2')`);
  const pins = `document.querySelectorAll('#pins > li').length`;
  const drawn = `[...document.querySelectorAll('#pins img')].filter(({ naturalWidth }) => naturalWidth > 0).length`;
  await eventually(async () => {
    const counts = page.frames().map((frame) => frame.evaluate(`[${pins}, ${drawn}].join()`).catch(() => ''));
    if (!(await Promise.all(counts)).includes(`2,${pictures}`))
      throw new Error('The board is not complete yet.');
  });
  expect(await faultsOf(page)).toEqual([]);
  await keys.tabTo(page, /^Close Pinboard/);
  await keys.press(page, 'Enter');
  await until(page, `!document.querySelector('.dock') && ${FOCUSED} === 'Open Board'`);
}

describe.each([
  ['Chromium', NEEDS_BROWSER, openChromium, 2],
  // Panels get no tokens there, and therefore no pictures of their server.
  [
    'Firefox',
    NEEDS_FIREFOX,
    (colors: Look['colors']) =>
      openFirefox({ 'layout.css.prefers-color-scheme.content-override': COLORS[colors] }),
    0,
  ],
] as const)('the tour of the README by keyboard alone, in %s', (name, needed, open, pictures) => {
  describe('in its windows', { ...needed, ...DEEP }, () => {
    let folder: string;
    let files: string[];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-tour-'));
      files = ['lake.png', 'hill.png'].map((file) => join(folder, file));
      for (const [at, file] of files.entries()) await writeFile(file, png(1_200 - at * 400, 800));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it.each<Look>([
      { size: WIDE, colors: name === 'Chromium' ? 'light' : 'dark' },
      { size: PHONE, colors: name === 'Chromium' ? 'dark' : 'light' },
      { size: ENLARGED, colors: 'light' },
    ])(
      'leads from the first view to two pictures on the board: $size.width pixels, $colors',
      async (look) => {
        const [browser, demo]: [Browser, Demo] = await Promise.all([
          open(look.colors),
          openDemo({ open: false, ports: {} }),
        ]);
        onTestFinished(async () => {
          await browser.close();
          await demo.close();
        });
        const page = await browser.newPage();
        page.setDefaultTimeout(TIMEOUT_MS);
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        await page.setViewport(look.size);
        if (name === 'Chromium')
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: look.colors }]);
        const keys = openKeys();
        await page.goto(demo.desktop);
        await until(
          page,
          `${shows('This is a script')} && document.activeElement.matches('.composer textarea')`,
        );
        await install(page, keys);
        await send(page, keys, files, look);
        await answer(page, keys, 'Connect Pinboard?', 'Connect');
        await signIn(page, keys, look);
        await answer(page, keys, 'Pin 2 pictures?', 'Pin');
        await until(page, `${shows('Done. The row above')} && ${FOCUSED} === 'Message'`);
        await lookAtBoard(page, keys, pictures);
        expect(keys.presses()).toBeLessThanOrEqual(MAX_KEYS);
        expect([keys.hidden, errors]).toEqual([[], []]);
      },
    );
  });
});
