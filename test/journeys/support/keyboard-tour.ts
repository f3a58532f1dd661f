import assert from 'node:assert/strict';
import { TIMEOUT_MS } from '@svc/testkit';
import type { Demo } from '../../../tools/demo/open-demo.ts';
import { FOCUSED, faultsOf, openKeys, type Page, until, untilNothing } from './keys.ts';

/** A desktop window, a phone, and a window of 1280 by 860 pixels enlarged to 200 %. */
export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 800 };
export const ENLARGED = { width: 640, height: 430 };

export const COLORS = { light: 1, dark: 0 } as const;

export type Look = { size: typeof WIDE; colors: keyof typeof COLORS };

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
  assert.deepEqual(await faultsOf(page), []);
  await keys.tabTo(page, /^Install$/);
  await keys.press(page, 'Enter');
  // A conversation with the app follows, ready for what the user writes.
  await until(page, `location.hash.startsWith('#/chat/new/') && ${shows('Pinboard is installed')}`);
  await until(page, `document.activeElement.matches('.composer textarea')`);
}

/** Sends two pictures in the conversation that followed the install. */
async function send(page: Page, keys: ReturnType<typeof openKeys>, pictures: readonly string[]) {
  await keys.tabTo(page, /^Attach files$/, 'back');
  const choosing = page.waitForFileChooser();
  // After this the browser gives file dialogs to the test.
  await page.evaluate('0');
  await keys.press(page, 'Enter');
  await (await choosing).accept([...pictures]);
  await until(page, `document.querySelectorAll('.chips li').length === 2 && !${shows('Uploading')}`);
  assert.equal(await page.evaluate(FOCUSED), 'Attach files');
  await keys.tabTo(page, /^Message$/);
  await keys.type(page, 'pin these two pictures to my board');
  await keys.press(page, 'Enter');
}

/** Answers a card with its first button. The focus is in the message field, or on the card if it was lost with what went away before it. */
async function answer(page: Page, keys: ReturnType<typeof openKeys>, title: string, yes: string) {
  await until(page, shows(title));
  assert.deepEqual(await faultsOf(page), []);
  const isOnCard = await page.evaluate(`document.activeElement.matches('.inline-card')`);
  await keys.tabTo(page, new RegExp(`^${yes}$`), isOnCard ? 'on' : 'back');
  await until(page, `document.activeElement.getAttribute('aria-disabled') === 'false'`);
  await keys.press(page, 'Enter');
}

/** Signs in on the page of the app, in its own tab. */
async function signIn(page: Page, keys: ReturnType<typeof openKeys>, { size }: Look) {
  await until(page, button('Open sign-in page'));
  assert.equal(await page.evaluate(FOCUSED), 'Message');
  await keys.tabTo(page, /^Open sign-in page$/, 'back');
  const origin = new URL(page.url()).origin;
  const isOther = (url: string) => url.startsWith('http') && !url.startsWith(origin);
  const opening = page
    .browser()
    .waitForTarget((one) => one.type() === 'page' && isOther(one.url()), { timeout: TIMEOUT_MS });
  await keys.press(page, 'Enter');
  const tab = await (await opening).page();
  assert(tab);
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
  await untilNothing(async () => {
    const counts = page.frames().map((frame) => frame.evaluate(`[${pins}, ${drawn}].join()`).catch(() => ''));
    return (await Promise.all(counts)).includes(`2,${pictures}`) ? '' : 'The board is not complete yet.';
  });
  assert.deepEqual(await faultsOf(page), []);
  await keys.tabTo(page, /^Close Pinboard/);
  await keys.press(page, 'Enter');
  await until(page, `!document.querySelector('.dock') && ${FOCUSED} === 'Open Board'`);
}

/** Walks the tour of the README by keyboard alone, from the first view to two pictures on the board. @returns the keys that it took */
export async function walkTour(
  page: Page,
  demo: Pick<Demo, 'desktop'>,
  { look, files, pictures }: { look: Look; files: readonly string[]; pictures: number },
) {
  const keys = openKeys();
  await page.goto(demo.desktop);
  await until(page, `${shows('This is a script')} && document.activeElement.matches('.composer textarea')`);
  await install(page, keys);
  await send(page, keys, files);
  await answer(page, keys, 'Connect Pinboard?', 'Connect');
  await signIn(page, keys, look);
  await answer(page, keys, 'Pin 2 pictures?', 'Pin');
  await until(page, `${shows('Done. The row above')} && ${FOCUSED} === 'Message'`);
  await lookAtBoard(page, keys, pictures);
  return keys;
}
