import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, sampleBundle, TIMEOUT_MS } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PAGES } from '../../apps/desktop/page/src/routes.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { publishApp, seed, submitApp } from '../../apps/web/test/support/seed.ts';
import { findPeople, giveRole } from '../../apps/web/test/support/staff.ts';
import { NEEDS_FIREFOX, openFirefox } from '../../packages/runtime/test/support/firefox.ts';
import { openDemo } from '../../tools/demo/open-demo.ts';
import { ENLARGED } from './support/keyboard-tour.ts';
import { FOCUSED, faultsOf, heading, openKeys, type Page, until } from './support/keys.ts';

type Firefox = Awaited<ReturnType<typeof openFirefox>>;
type Store = Awaited<ReturnType<typeof openRealStore>>;

const PASSWORD = 'correct horse battery';

/** The pages of administrators, with their headings. */
const ADMINISTRATION = [
  ['', 'Health'],
  ['/people', 'Users'],
  ['/publishers', 'Publishers'],
  ['/apps', 'Apps'],
  ['/featured', 'Featured apps'],
  ['/keys', 'Keys and revocations'],
  ['/settings', 'Settings'],
  ['/audit', 'Audit log'],
] as const;

/** The elements that would move or fade. */
const MOVING = `[...document.querySelectorAll('body *')]
  .filter((one) => getComputedStyle(one).transitionDuration.split(', ').some((time) => parseFloat(time) > 0.01) || one.getAnimations().length > 0)
  .map((one) => one.localName + '.' + one.className)`;

/** Opens a view of the desktop, and looks for violations of axe and for a page wider than its window. */
async function seesNoFault(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${place}'`);
  await until(page, `document.querySelector('main h1, main h2')`);
  await until(page, `!document.querySelector('main').textContent.includes('Loading')`);
  expect([place, await faultsOf(page)]).toEqual([place, []]);
}

/** Presses Tab until the focused element has this name. */
const tabTo = (page: Page, name: RegExp): Promise<void> => openKeys().tabTo(page, name);

describe('Firefox, by keyboard alone', { ...NEEDS_FIREFOX, ...DEEP }, () => {
  let firefox: Firefox;
  let store: Store;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-firefox-'));
    [firefox, store] = await Promise.all([openFirefox(), openRealStore()]);
    await seed(store, 4);
  });
  afterAll(async () => {
    await firefox?.close();
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a page in a new browser context; its errors fail the test. */
  async function openPage(url: string): Promise<Page> {
    const context = await firefox.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    onTestFinished(async () => {
      await context.close();
      expect(errors).toEqual([]);
    });
    await page.setViewport({ width: 1024, height: 800 });
    await page.goto(url);
    return page;
  }

  /** Signs up a user by keyboard, and gives them a role. */
  async function openAs(name: string, role: 'person' | 'moderator' | 'administrator'): Promise<Page> {
    const page = await openPage(`${store.url}/sign-up`);
    const email = `${name.toLowerCase()}@example.com`;
    for (const [label, text] of [
      [/^Name/, name],
      [/^Email/, email],
      [/^Password/, PASSWORD],
    ] as const) {
      await tabTo(page, label);
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await heading(page, 'Your account');
    if (role !== 'person') await giveRole(store, email, role);
    return page;
  }

  it('finds an app in the catalogue, opens its page, and reaches the link to the client', async () => {
    const page = await openPage(store.url);
    await page.keyboard.press('/');
    await page.keyboard.type('layers');
    await page.keyboard.press('Enter');
    await until(page, `location.search.includes('q=layers') && document.querySelector('.app-row')`);
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, /^Pixel Forge$/);
    await page.keyboard.press('Enter');
    await heading(page, 'Pixel Forge');
    await tabTo(page, /^Install$/);
    expect(await page.evaluate('document.activeElement.href')).toMatch(
      /^svc:\/\/install\/com\.\w+\.pixelforge\?store=/,
    );
    expect(await faultsOf(page)).toEqual([]);
  });

  it('creates a publisher, uploads a first app, and shows its review', async () => {
    const page = await openAs('Olga', 'person');
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${store.url}/account/publishers`);
    await heading(page, 'Publishers');
    await tabTo(page, /^Name/);
    await page.keyboard.type('Firefox Tools');
    await tabTo(page, /^Short name/);
    await page.keyboard.type('firefox-tools');
    await page.keyboard.press('Enter');
    await until(page, `location.pathname === '/account/publishers/firefox-tools'`);
    await heading(page, 'Firefox Tools');
    const bundle = join(folder, 'notes.svc-app');
    await writeFile(
      bundle,
      sampleBundle({ id: 'com.firefox.notes', name: 'Fox Notes', publisher: 'firefox-tools' }),
    );
    const field = await page.waitForSelector('input[type=file]');
    await (field as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(bundle);
    // The next step has the focus.
    await until(page, `document.activeElement.textContent === 'Publish Fox Notes 1.0.0'`);
    await page.keyboard.press('Enter');
    await until(page, `/in review/i.test(document.querySelector('main').textContent)`);
    expect(await faultsOf(page)).toEqual([]);
  });

  it('approves a version in review', async () => {
    await publishApp(store, { id: 'com.acme.fox', name: 'Fox', publisher: 'acme' });
    await submitApp(store, {
      id: 'com.acme.fox',
      name: 'Fox',
      publisher: 'acme',
      version: '1.1.0',
      remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['fox.example.com'] },
    });
    const page = await openAs('Mona', 'moderator');
    await page.goto(`${store.url}/moderation/versions`);
    await until(page, `document.querySelector('.queue-row .name')`);
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${store.url}/moderation/apps/com.acme.fox/versions/1.1.0`);
    await heading(page, 'Fox');
    await until(page, `document.body.textContent.includes('Locked by you until')`);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('a');
    await until(page, `document.querySelector('dialog[open], [role=dialog]')`);
    await tabTo(page, /^(Approve|Yes)/);
    await page.keyboard.press('Enter');
    await eventually(async () => {
      const { status } = (await (
        await fetch(`${store.url}/api/apps/com.acme.fox/versions/1.1.0/status`)
      ).json()) as { status: string };
      if (status !== 'published') throw new Error(`It is ${status}.`);
    });
  });

  it('opens each page of the administration, changes a role, and suspends and unsuspends an app', async () => {
    await openAs('Paul', 'person');
    await publishApp(store, { id: 'com.acme.featured', name: 'Lighthouse', publisher: 'acme' });
    const page = await openAs('Ada', 'administrator');
    for (const [path, name] of ADMINISTRATION) {
      await page.goto(`${store.url}/admin${path}`);
      await heading(page, name);
      await until(page, `!document.querySelector('main').textContent.includes('Loading')`);
      expect([path, await faultsOf(page)]).toEqual([path, []]);
    }
    await page.goto(`${store.url}/admin/people?q=paul`);
    await until(page, `document.querySelector('.data-table .pop-menu')`);
    await tabTo(page, /^Actions on Paul/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Change role…$/);
    await page.keyboard.press('Enter');
    await until(page, `document.activeElement.matches('select')`);
    await page.keyboard.press('ArrowDown');
    await tabTo(page, /^Change role$/);
    await page.keyboard.press('Enter');
    await eventually(async () => {
      const people = await findPeople(store, 'paul');
      expect(people.map(({ role }) => role)).toEqual(['moderator']);
    });
    await page.goto(`${store.url}/admin/apps?q=com.acme.featured`);
    await until(page, `document.querySelector('.data-table tbody tr')`);
    await tabTo(page, /^Actions on/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Suspend…$/);
    await page.keyboard.press('Enter');
    await until(page, `document.activeElement.matches('select') && document.activeElement.length > 1`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await until(page, `document.activeElement.matches('textarea')`);
    await page.keyboard.type('Asks for passwords.');
    await tabTo(page, /^Suspend$/);
    await page.keyboard.press('Enter');
    await until(page, `document.querySelector('.data-table .badge.fault')`);
    expect((await fetch(`${store.url}/api/apps/com.acme.featured`)).status).toBe(410);
    // The focus is where it was. A Tab behind the last control leads to the browser, as does one of a user, and later keys press nothing.
    await until(page, `/^Actions on/.test(${FOCUSED})`);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Unsuspend…$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Unsuspend$/);
    await page.keyboard.press('Enter');
    await eventually(async () => {
      expect((await fetch(`${store.url}/api/apps/com.acme.featured`)).status).toBe(200);
    });
  });

  it('installs an app in the desktop, without axe violations on its pages', async () => {
    const demo = await openDemo({ open: false, ports: {} });
    onTestFinished(() => demo.close());
    const page = await openPage(demo.desktop.replace(/&to=.*/, '&to=/store'));
    await heading(page, 'Store');
    await until(page, `[...document.querySelectorAll('a')].some((one) => one.textContent === 'Pinboard')`);
    await tabTo(page, /^Pinboard$/);
    await page.keyboard.press('Enter');
    await heading(page, 'Pinboard');
    await tabTo(page, /^Install$/);
    await page.keyboard.press('Enter');
    // Not the dialog that downloads the app, whose title has the same word.
    await until(
      page,
      `[...document.querySelectorAll('dialog[open] button')].some((one) => one.textContent === 'Install')`,
    );
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, /^Install$/);
    await page.keyboard.press('Enter');
    await until(page, `[...document.querySelectorAll('a')].some((one) => one.textContent === 'Open app')`);
    await tabTo(page, /^Open app$/);
    await page.keyboard.press('Enter');
    await until(page, `location.hash.startsWith('#/apps/com.example.pinboard')`);
    for (const place of PAGES) await seesNoFault(page, place);
  });

  it('shows every view of the desktop at 200 %, in forced colours and without motion', async () => {
    // Colours of the system in place of those of pages, and no motion (Firefox: `ui.*` and `browser.display.*`).
    const still = await openFirefox({
      'ui.prefersReducedMotion': 1,
      'browser.display.document_color_use': 2,
    });
    onTestFinished(() => still.close());
    const demo = await openDemo({ open: false, ports: {} });
    onTestFinished(() => demo.close());
    const page = await still.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.setViewport(ENLARGED);
    await page.goto(demo.desktop);
    await until(page, `document.body.innerText.includes('This is a script')`);
    const asked = `['(prefers-reduced-motion: reduce)', '(forced-colors: active)'].map((one) => matchMedia(one).matches)`;
    expect(await page.evaluate(asked)).toEqual([true, true]);
    for (const place of [...PAGES, 'chat/start', 'store/com.example.pinboard']) {
      await seesNoFault(page, place);
      expect([place, await page.evaluate(MOVING)]).toEqual([place, []]);
    }
  });
});
