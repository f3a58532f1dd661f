import { findChromium, sampleBundle } from '@svc/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser } from '../../apps/web/test/support/real-browser.ts';
import type { Viewer, WorldName } from '../screenshots/view.ts';
import { WORLDS, type World } from '../screenshots/worlds.ts';
import type { Figure, LeftOut } from './lib/figure.ts';

const SIZE = { width: 1280, height: 800 };

/** Who does a task: their clicks are counted, what they type is not. */
type Hands = { page: Page; click(one: Locator, clicks?: number): Promise<void> };

type Task = {
  name: string;
  from: string;
  /** Clicks that it may take. */
  most: number;
  world: WorldName;
  viewer: Viewer;
  /** Path, or hash of the desktop, from which it begins. */
  path: string;
  /** Does it, up to what shows that it is done. */
  by(hands: Hands): Promise<unknown>;
  /** What it needs, which is not counted. */
  before?(page: Page): Promise<unknown>;
};

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true });

/** Adds a second provider with the same models, so that there is something to choose. */
async function addProvider(page: Page): Promise<void> {
  await page.evaluate(`location.hash = '#/settings/models'`);
  const address = await page
    .locator('.rows .soft', { hasText: /^http:/ })
    .first()
    .innerText();
  await button(page, /^Another/).click();
  const form = page.locator('.provider-form');
  await form.getByLabel('Name').fill('Second');
  await form.getByLabel('Base URL').fill(address);
  await form.getByRole('button', { name: 'Add' }).click();
  await page.getByText('Second', { exact: true }).waitFor();
}

/** The sign-in page of the example app. */
async function signIn({ page, click }: Hands): Promise<void> {
  const opened = page.context().waitForEvent('page');
  await click(link(page, 'Open sign-in page'));
  const tab = await opened;
  await tab.getByLabel('Your name').fill('anna');
  await click(button(tab, 'Sign in'));
  await click(button(tab, 'Allow'));
  await tab.getByText('You can close this tab').waitFor();
  await tab.close();
}

const DESKTOP = { world: 'desktop-new', viewer: 'visitor' } as const;
const STORE = { world: 'usual' } as const;

/** The eight tasks, in the order in which they are done: a later one uses the app of an earlier one. */
const TASKS: readonly Task[] = [
  {
    ...{ ...STORE, name: 'install it without a client', from: 'the page of the app', most: 1 },
    ...{ viewer: 'visitor', path: '/apps/com.quayside.notes' },
    async by({ page, click }) {
      await click(link(page, 'Install').first());
      await page.getByRole('dialog').getByText('svc install com.quayside.notes').first().waitFor();
    },
  },
  {
    ...{ ...STORE, name: 'publish', from: 'the page of the publisher', most: 2 },
    ...{ viewer: 'publisher', path: '/account/publishers/quayside' },
    async by({ page, click }) {
      const buffer = Buffer.from(
        sampleBundle({ id: 'com.quayside.tasks', name: 'Quayside Tasks', publisher: 'quayside' }),
      );
      // The press that opens the dialog for files; what is chosen there is like a word that one types.
      const choosing = page.waitForEvent('filechooser');
      await click(page.locator('.file-drop input'));
      await (await choosing).setFiles([{ name: 'tasks.svc-app', mimeType: 'application/zip', buffer }]);
      await click(button(page, 'Publish Quayside Tasks 1.0.0'));
      await page
        .getByText(/in review/i)
        .first()
        .waitFor();
    },
  },
  {
    ...{ ...STORE, name: 'approve a version', from: 'the queue of a moderator', most: 3 },
    ...{ viewer: 'moderator', path: '/moderation/versions' },
    async by({ page, click }) {
      await click(page.locator('.queue-row .name', { hasText: 'Quayside Notes' }).first());
      await click(page.getByRole('button', { name: 'Approve (a)' }));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Approve and publish' }));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  {
    ...{ ...STORE, name: 'see why a version was rejected', from: 'the list of publishers', most: 2 },
    ...{ viewer: 'publisher', path: '/account/publishers' },
    async by({ page, click }) {
      await click(link(page, 'New Tools').first());
      await click(link(page, 'First Tool').first());
      await page.getByText('The server answers with 502.').first().waitFor();
    },
  },
  {
    ...{
      ...DESKTOP,
      name: 'find an app and install it',
      from: 'a new conversation',
      most: 5,
      path: '#/chat',
    },
    async by({ page, click }) {
      await click(link(page, 'Store').first());
      const field = page.getByLabel('Search apps');
      await click(field);
      await field.fill('pinboard');
      await click(link(page, 'Pinboard').first());
      await click(button(page, 'Install'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Install' }));
      await heading(page, 'Pinboard is installed').waitFor();
    },
  },
  {
    ...{ ...DESKTOP, name: 'connect its account, three clicks of its sign-in page included' },
    ...{ from: 'a new conversation', most: 7, path: '#/chat' },
    async by(hands) {
      const { page, click } = hands;
      await click(page.getByRole('link', { name: /^Apps/ }).first());
      await click(link(page, 'Pinboard').last());
      await click(button(page, 'Connect Pinboard'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Connect', disabled: false }));
      await signIn(hands);
      await button(page, 'Disconnect Pinboard').waitFor();
    },
  },
  {
    ...{ ...DESKTOP, name: 'change the model', from: 'a conversation', most: 2, path: '#/chat/start' },
    before: addProvider,
    async by({ page, click }) {
      const models = page.getByLabel('Model', { exact: true });
      // A press opens the list, which the browser draws outside of the page, and another chooses.
      await click(models, 2);
      await page.keyboard.press('Escape');
      const answered = page.waitForResponse(/chats\.change$/);
      await models.selectOption({ index: (await models.locator('option').count()) - 1 });
      await answered;
    },
  },
  {
    ...{ ...DESKTOP, name: 'see what was done last Tuesday', from: 'a conversation', most: 3 },
    path: '#/chat/start',
    async by({ page, click }) {
      await click(link(page, 'Activity').first());
      const day = new Date(Date.now() - 6 * 24 * 3_600_000).toISOString().slice(0, 10);
      for (const name of ['From', 'To']) {
        const field = page.getByLabel(name, { exact: true });
        await click(field);
        const listed = page.waitForResponse(/activity\.list$/);
        await field.fill(day);
        await listed;
      }
    },
  },
];

/** Counts a task, and the time from its first press to its end. */
async function count(world: World, task: Task): Promise<Figure> {
  const page = await world.page(task.viewer);
  const isDesktop = task.path.startsWith('#');
  await page.setViewportSize(SIZE);
  await task.before?.(page);
  await page.goto(new URL(task.path, world.url).href);
  if (!isDesktop) await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.locator('h1').first().waitFor();
  let [clicks, started] = [0, 0];
  const click = async (one: Locator, times = 1) => {
    await one.waitFor();
    if (clicks === 0) started = performance.now();
    clicks += times;
    await one.click();
  };
  await task.by({ page, click });
  const seconds = (performance.now() - started) / 1_000;
  if (!isDesktop) await page.close();
  return {
    name: `Clicks to ${task.name}, from ${task.from}`,
    measured: `${seconds.toFixed(1)} s as a script presses, without reading and typing`,
    value: clicks,
    unit: ' clicks',
    bound: { most: task.most },
  };
}

/** Counts the tasks of a world, one after the other. */
async function countIn(browser: Browser, name: WorldName): Promise<Figure[]> {
  const world = await WORLDS[name](browser);
  const figures: Figure[] = [];
  try {
    for (const task of TASKS.filter(({ world: of }) => of === name)) figures.push(await count(world, task));
  } finally {
    await world.close();
  }
  return figures;
}

/** The eight tasks of users, publishers and moderators, in real programs and headless Chromium at 1280 pixels: clicks and seconds. */
export async function tasks(): Promise<(Figure | LeftOut)[]> {
  if (findChromium() === undefined) return [{ name: 'Clicks of the eight tasks', leftOut: 'needs Chromium' }];
  const browser = await openBrowser();
  try {
    return [...(await countIn(browser, 'usual')), ...(await countIn(browser, 'desktop-new'))];
  } finally {
    await browser.close();
  }
}
