import { findChromium } from '@svc/testkit';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../apps/web/test/support/real-browser.ts';
import type { Viewer, WorldName } from '../screenshots/view.ts';
import { WORLDS, type World } from '../screenshots/worlds.ts';
import type { Figure, LeftOut } from './lib/figure.ts';
import { throttle } from './lib/phone.ts';
import { median } from './lib/processes.ts';

const ROUNDS = 3;
const PHONE = { width: 390, height: 844 };

/** How long a page is watched after it loaded, in milliseconds: what is drawn later is no part of its first view. */
const WATCHED_MS = 4_000;

/** A page, and what its first view may load and take. `kB` is of all bytes, or of scripts alone. */
type Measured = {
  name: string;
  world: WorldName;
  viewer: Viewer;
  path: string;
  kB?: number;
  scriptKB?: number;
  seconds: number;
};

/** The bounds of the public pages, of those of publishers and moderators, and of the desktop. */
const PAGES: readonly Measured[] = [
  { name: 'front page', world: 'usual', viewer: 'visitor', path: '/', seconds: 1.5 },
  {
    name: 'page of an app',
    world: 'usual',
    viewer: 'visitor',
    path: '/apps/com.example.tides',
    seconds: 1.5,
  },
  { name: 'search', world: 'usual', viewer: 'visitor', path: '/?q=notes', seconds: 1.5 },
  { name: 'document', world: 'usual', viewer: 'visitor', path: '/docs/publishing', seconds: 1.5 },
  {
    ...{ name: 'dashboard', world: 'usual', viewer: 'publisher', path: '/account/publishers/quayside' },
    ...{ kB: 130, seconds: 2 },
  },
  { name: 'moderation', world: 'usual', viewer: 'moderator', path: '/moderation', kB: 130, seconds: 2 },
  { name: 'desktop', world: 'desktop-new', viewer: 'visitor', path: '#/', scriptKB: 350, seconds: 2.5 },
];

/** Observes the largest paint, what moved, and how long the browser took to answer a key. */
const OBSERVE = `
  window.figures = { paint: 0, shift: 0, key: 0 };
  const observe = (type, each, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more });
  observe('largest-contentful-paint', ({ startTime }) => { window.figures.paint = startTime; });
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) window.figures.shift += value; });
  observe('event', ({ name, duration }) => {
    if (name.startsWith('key')) window.figures.key = Math.max(window.figures.key, duration);
  }, { durationThreshold: 16 });`;

type Seen = { paint: number; shift: number; key: number; bytes: number; scriptBytes: number };

/** Opens a page with an empty cache on a slow phone, and presses Tab three times. */
async function look(page: Page, url: string): Promise<Seen> {
  await page.setViewportSize(PHONE);
  const loaded = await throttle(page, { screen: { ...PHONE, deviceScaleFactor: 2, mobile: true } });
  await page.addInitScript(OBSERVE);
  await page.goto(url, { waitUntil: 'load' });
  if (page.url() === url && url.includes('#')) await page.reload({ waitUntil: 'load' });
  await page.waitForTimeout(WATCHED_MS);
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Tab', { delay: 50 });
  await page.waitForTimeout(500);
  const figures = await page.evaluate<Pick<Seen, 'paint' | 'shift' | 'key'>>('window.figures');
  return { ...figures, ...loaded() };
}

/** A page of a viewer whose browser has loaded nothing yet; that of a desktop, which admits a single one. */
async function freshPage(world: World, { world: name, viewer }: Measured): Promise<Page> {
  const page = await world.page(viewer);
  if (name === 'desktop-new') return page;
  const context = page.context();
  const browser = context.browser();
  if (!browser) throw new Error('The pages are not in a browser.');
  const state = await context.storageState();
  await page.close();
  return (await browser.newContext({ storageState: state })).newPage();
}

function figuresOf({ name, kB, scriptKB, seconds }: Measured, rounds: readonly Seen[]): Figure[] {
  const middle = (key: keyof Seen): number => median(rounds.map((seen) => seen[key]));
  const rest = `shift ${middle('shift').toFixed(3)}, Tab to its paint ${middle('key')} ms`;
  const sizes = `${(middle('bytes') / 1000).toFixed(0)} kB, of which ${(middle('scriptBytes') / 1000).toFixed(0)} of scripts`;
  return [
    {
      name: `Largest paint on a slow phone: ${name}`,
      measured: `${sizes}; ${rest}; median of ${ROUNDS}`,
      value: middle('paint') / 1000,
      unit: ' s',
      bound: { most: seconds },
    },
    ...(kB === undefined
      ? []
      : [
          {
            name: `First view: ${name}`,
            measured: 'all bytes',
            value: middle('bytes') / 1000,
            unit: ' kB',
            bound: { most: kB },
          },
        ]),
    ...(scriptKB === undefined
      ? []
      : [
          {
            name: `First view: ${name}`,
            measured: 'scripts',
            value: middle('scriptBytes') / 1000,
            unit: ' kB',
            bound: { most: scriptKB },
          },
        ]),
  ];
}

/**
 * What the first views of seven pages load and take: 390 pixels wide with two pixels each, 1.6 Mbit/s, 150 ms, a quarter of this
 * machine's speed, in headless Chromium.
 */
export async function pages(): Promise<(Figure | LeftOut)[]> {
  if (findChromium() === undefined)
    return [{ name: 'First views on a slow phone', leftOut: 'needs Chromium' }];
  const browser = await openBrowser();
  const figures: Figure[] = [];
  try {
    for (const name of new Set(PAGES.map(({ world }) => world))) {
      const world = await WORLDS[name](browser);
      try {
        for (const measured of PAGES.filter((one) => one.world === name)) {
          const rounds: Seen[] = [];
          for (let round = 0; round < ROUNDS; round += 1) {
            const page = await freshPage(world, measured);
            rounds.push(await look(page, new URL(measured.path, world.url).href));
            if (name !== 'desktop-new') await page.context().close();
          }
          figures.push(...figuresOf(measured, rounds));
        }
      } finally {
        await world.close();
      }
    }
  } finally {
    await browser.close();
  }
  return figures;
}
