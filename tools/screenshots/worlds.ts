import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openPage } from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { openAs } from '../../apps/web/test/support/staff.ts';
import { openDemo } from '../demo/open-demo.ts';
import { fillFull, fillUsual, type People } from './fill.ts';
import type { Filled } from './fill-shown.ts';
import type { Facts, Viewer, WorldName } from './view.ts';

/** A fixture in which views are taken. */
export type World = {
  url: string;
  facts: Facts;
  /** A page of a viewer: a new one for a store; always the same for a desktop, which admits a single page. */
  page(viewer: Viewer): Promise<Page>;
  close(): Promise<void>;
};

/** Reduced motion, so that screenshots of a page are stable. */
const STILL = { reducedMotion: 'reduce' } as const;

type Signed = Readonly<Record<Exclude<Viewer, 'visitor'>, Page>>;

async function openPeople(browser: Browser, store: Filled): Promise<Signed> {
  const person = async (name: string, role: 'person' | 'moderator' | 'administrator') =>
    (await openAs(browser, store, { name, role, path: '/docs' })).page;
  return {
    person: await person('Paula Person', 'person'),
    publisher: await person('Quentin Quay', 'person'),
    moderator: await person('Mo Marsh', 'moderator'),
    administrator: await person('Ada Admin', 'administrator'),
  };
}

async function openStoreWorld(
  browser: Browser,
  fill: (store: Filled, people: People) => Promise<Record<string, string>>,
): Promise<World> {
  const store = await openRealStore();
  try {
    const people = await openPeople(browser, store);
    const facts = await fill(store, people);
    const visitor = await browser.newContext(STILL);
    const contextOf = (viewer: Viewer): BrowserContext =>
      viewer === 'visitor' ? visitor : people[viewer].context();
    return {
      url: store.url,
      facts,
      page: (viewer) => contextOf(viewer).newPage(),
      async close() {
        await visitor.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A store without an administrator. */
async function openBareStore(browser: Browser): Promise<World> {
  const [store, visitor] = [await openRealStore(), await browser.newContext(STILL)];
  const setup = new URL(store.setupUrl);
  return {
    url: store.url,
    facts: { setup: setup.pathname + setup.search },
    page: () => visitor.newPage(),
    async close() {
      await visitor.close();
      await store.close();
    },
  };
}

const PINBOARD = 'com.example.pinboard';

/** Installs the app whose servers run locally, and connects its account. */
async function useDesktop(page: Page, origin: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.goto(`${origin}/#/store/${PINBOARD}`);
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await page.getByRole('link', { name: 'Open app' }).click();
  await page.getByRole('button', { name: 'Connect Pinboard' }).click();
  await dialog.getByRole('button', { name: 'Connect', disabled: false }).click();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open sign-in page' }).click();
  const signIn = await opened;
  await signIn.getByLabel('Your name').fill('anna');
  await signIn.getByRole('button', { name: 'Sign in' }).click();
  await signIn.getByRole('button', { name: 'Allow', exact: true }).click();
  await signIn.getByText('You can close this tab').waitFor();
  await signIn.close();
  await page.getByRole('button', { name: 'Disconnect Pinboard' }).waitFor();
}

async function openDesktopWorld(browser: Browser, isUsed: boolean): Promise<World> {
  const demo = await openDemo({ open: false, ports: {} });
  try {
    await demo.filled;
    const { page } = await openPage(browser, demo.desktop.replace(/&to=.*/, '&to=/store'), STILL);
    const url = `${new URL(demo.desktop).origin}/`;
    // The one-time link must be used first: the page is not admitted without it.
    await page.getByRole('heading', { name: 'Store' }).waitFor();
    if (isUsed) {
      await useDesktop(page, new URL(url).origin);
      await demo.publishUpdate();
    }
    return { url, facts: {}, page: async () => page, close: () => demo.close() };
  } catch (error) {
    await demo.close();
    throw error;
  }
}

/** Opens each world. */
export const WORLDS: Readonly<Record<WorldName, (browser: Browser) => Promise<World>>> = {
  bare: openBareStore,
  empty: (browser) => openStoreWorld(browser, async () => ({})),
  usual: (browser) => openStoreWorld(browser, fillUsual),
  full: (browser) => openStoreWorld(browser, fillFull),
  'desktop-new': (browser) => openDesktopWorld(browser, false),
  desktop: (browser) => openDesktopWorld(browser, true),
};
