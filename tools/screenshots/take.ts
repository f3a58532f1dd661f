import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { faultsOf, settle } from './faults.ts';
import type { View, WorldName } from './view.ts';
import { WORLDS, type World } from './worlds.ts';

/** A telephone, a tablet, windows below and at 80rem, where the queue appears beside a version, and a wide one. */
export const WIDTHS = [390, 768, 1100, 1280, 1680] as const;
export const SCHEMES = ['light', 'dark'] as const;

/** Maximum height of a screenshot; the checks cover the whole page. */
const MAX_HEIGHT = 2_600;
const WINDOW_HEIGHT = 900;

/** The widths and colour schemes to take. */
export type Looks = { widths: readonly number[]; schemes: readonly ('light' | 'dark')[] };

/** A screenshot, and the faults of the page. */
export type Shot = {
  view: string;
  state: string;
  width: number;
  scheme: string;
  file: string;
  faults: string[];
};

/** Requests of the page frame, not of the page: who is signed in, the desktop's session and projects. */
const FRAME_REQUESTS = /^GET .*\/people\/me$|\/api\/(?:session|client|projects)\./;

/** The message of requests that fail in a failing state. */
const UNAVAILABLE = 'The store is temporarily unavailable. Try again.';

const heightOf = ({ height = WINDOW_HEIGHT }: View): number => height;

const nameOf = ({ name, state }: View): string => `${name}.${state}`;

/** Expected console errors: the failing request of a failing state. */
const isExpected = ({ state }: View, text: string): boolean =>
  (state === 'failing' && /status of [45]\d\d/.test(text)) ||
  // Panel headers use directives that some browsers do not support yet.
  /Permissions-Policy|Unrecognized Content-Security|ERR_NETWORK_ACCESS_REVOKED/.test(text);

/** Forgets the docked panel of each project. */
const UNDOCK = `for (const key of Object.keys(localStorage)) if (key.startsWith('svc.dock.')) localStorage.removeItem(key)`;

/** The page of a view, with its errors, and the requests that it waits for. */
type Opened = { page: Page; errors: string[]; pending: ReadonlySet<Request>; end(): Promise<unknown> };

/** Collects the requests of a page that have no answer yet. */
function watchRequests(page: Page): { pending: ReadonlySet<Request>; end(): void } {
  const pending = new Set<Request>();
  const begun = (request: Request) => void pending.add(request);
  const ended = (request: Request) => void pending.delete(request);
  page.on('request', begun).on('requestfinished', ended).on('requestfailed', ended);
  return {
    pending,
    end: () => void page.off('request', begun).off('requestfinished', ended).off('requestfailed', ended),
  };
}

async function open(world: World, view: View): Promise<Opened> {
  const isDesktop = view.routes.length === 0;
  const page = await world.page(view.viewer ?? 'visitor');
  const errors: string[] = [];
  const onConsole = (message: { type(): string; text(): string; location(): { url: string } }) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() === 'error' && !isExpected(view, text)) errors.push(`console: ${text}`);
  };
  const onError = (error: Error) => errors.push(`script: ${String(error)}`);
  page.on('console', onConsole);
  page.on('pageerror', onError);
  const requests = watchRequests(page);
  await page.setViewportSize({ width: WIDTHS[0], height: heightOf(view) });
  const { fail } = view;
  if (fail !== undefined)
    await page.route(
      (url) => url.pathname.includes(fail),
      (route) => {
        const request = route.request();
        if (FRAME_REQUESTS.test(`${request.method()} ${new URL(request.url()).pathname}`))
          return route.fallback();
        return route.fulfill({
          status: 503,
          contentType: 'application/json',
          body: JSON.stringify({ code: 'unavailable', message: UNAVAILABLE }),
        });
      },
    );
  const path = typeof view.path === 'string' ? view.path : view.path(world.facts);
  // Reload: a loaded page would only follow the hash and keep its data.
  if (isDesktop) {
    await page.goto(new URL(path, world.url).href);
    // A panel that an earlier view docked would be beside this one.
    await page.evaluate(UNDOCK);
    await page.reload();
  } else await page.goto(new URL(path, world.url).href);
  return {
    page,
    errors,
    pending: requests.pending,
    end: async () => {
      requests.end();
      page.off('console', onConsole);
      page.off('pageerror', onError);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      if (!isDesktop) await page.close();
    },
  };
}

async function shoot(page: Page, file: string): Promise<void> {
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  const { width, height: before } = page.viewportSize() ?? { width: WIDTHS[0], height: WINDOW_HEIGHT };
  const height = Math.min(Math.max(whole, before), MAX_HEIGHT);
  // What stays in the window while the page scrolls is drawn where a page begins.
  await page.evaluate('window.scrollTo(0, 0)');
  // Chromium draws frames of other processes, as sandboxed ones are, only where they are in the window: it becomes as high as the picture.
  const hasFrame = (await page.locator('iframe:visible').count()) > 0;
  if (hasFrame) {
    await page.setViewportSize({ width, height });
    await settle(page);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  }
  const clip = { x: 0, y: 0, width, height };
  await page.screenshot({ path: file, type: 'jpeg', quality: 75, fullPage: !hasFrame, clip });
  if (hasFrame) await page.setViewportSize({ width, height: before });
}

/** The event stream of the desktop, which its page keeps open. */
const STREAM = /\/events\b/;
const MAX_WAIT_MS = 10_000;

/** Waits until a page has loaded its data. The page of the desktop is never idle: it waits for all but its event stream, as for icons. */
async function loaded({ page, pending }: Opened, { routes }: View): Promise<void> {
  if (routes.length > 0) {
    await page.waitForLoadState('networkidle').catch(() => undefined);
    return;
  }
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  const until = Date.now() + MAX_WAIT_MS;
  while (Date.now() < until && [...pending].some((request) => !STREAM.test(request.url())))
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
}

/** Whether a page says that its request failed, where it is seen: not in a drawer that is closed. */
const isSaid = (page: Page): Promise<boolean> =>
  page
    .getByText(UNAVAILABLE)
    .filter({ visible: true })
    .first()
    .waitFor({ timeout: 5_000 })
    .then(
      () => true,
      () => false,
    );

/** Takes one view in all widths and schemes. */
async function takeView(
  world: World,
  view: View,
  folder: string,
  { widths, schemes }: Looks,
): Promise<Shot[]> {
  const opened = await open(world, view);
  const { page, errors, end } = opened;
  const shots: Shot[] = [];
  const shot = async (width: number, scheme: 'light' | 'dark', check: () => Promise<string[]>) => {
    const file = `${nameOf(view)}.${width}.${scheme}.jpeg`;
    const faults = await check();
    shots.push({ view: view.name, state: view.state, width, scheme, file, faults });
  };
  try {
    // A message that is hidden until something fails is none.
    await page.locator(view.ready).filter({ visible: true }).first().waitFor();
    if ((await page.locator('.entrance').count()) > 0) throw new Error('The page was not admitted.');
    await view.act?.(page, world.facts);
    await loaded(opened, view);
    if (view.fail !== undefined && !(await isSaid(page)))
      errors.push('no message: a request failed, and the page does not say so');
    for (const scheme of schemes)
      for (const width of widths) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: heightOf(view) });
        await settle(page);
        await shot(width, scheme, async () => {
          const faults = await faultsOf(page);
          await shoot(page, join(folder, `${nameOf(view)}.${width}.${scheme}.jpeg`));
          return [...faults, ...errors.splice(0)];
        });
      }
  } catch (error) {
    await shoot(page, join(folder, `${nameOf(view)}.390.light.jpeg`)).catch(() => undefined);
    await shot(390, 'light', async () => [`not taken: ${String(error).split('\n')[0]}`, ...errors]);
  } finally {
    await end();
  }
  return shots;
}

/**
 * Takes screenshots of views. Each world is opened for its first view and closed after its last.
 * @param folder created when it does not exist
 * @param report called with the screenshots of each view
 */
export async function take(
  browser: Browser,
  views: readonly View[],
  { folder, looks, report }: { folder: string; looks: Looks; report(shots: readonly Shot[]): void },
): Promise<Shot[]> {
  await mkdir(folder, { recursive: true });
  const all: Shot[] = [];
  for (const name of Object.keys(WORLDS) as WorldName[]) {
    const viewsOfWorld = views.filter(({ world }) => world === name);
    if (viewsOfWorld.length === 0) continue;
    const world = await WORLDS[name](browser);
    try {
      for (const view of viewsOfWorld) {
        const shots = await takeView(world, view, folder, looks);
        report(shots);
        all.push(...shots);
      }
    } finally {
      await world.close();
    }
  }
  return all;
}
