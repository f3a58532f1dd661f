import { findChromium } from '@svc/testkit';
import { openBrowser } from '../../apps/web/test/support/real-browser.ts';
import type { Figure } from './lib/figure.ts';
import { NETWORK, throttle } from './lib/phone.ts';
import { inTempFolder, median, publishApps, whileStoreRuns } from './lib/processes.ts';

const APPS = 48;
const ROUNDS = 5;
const STARTING_MS = 3_000;
const PHONE = { width: 390, height: 844 };

/** Observes paint and event timings of the browser. */
const OBSERVE = `
  window.figures = { paint: 0, key: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.figures.paint = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name.startsWith('key')) window.figures.key = Math.max(window.figures.key, duration);
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 });`;

type Seen = { paint: number; key: number; scriptBytes: number };

/** Opens the catalogue with an empty cache, types a word, and waits for the results. */
async function look(url: string): Promise<Seen> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: PHONE });
    // Chromium loads its own pages at startup.
    await page.waitForTimeout(STARTING_MS);
    const loaded = await throttle(page);
    await page.addInitScript(OBSERVE);
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForTimeout(500);
    await page.locator('#q').pressSequentially('app 7', { delay: 120 });
    await page.waitForURL('**/?q=app+7');
    await page.waitForTimeout(500);
    const { paint, key } = await page.evaluate<Omit<Seen, 'scriptBytes'>>('window.figures');
    return { paint, key, scriptBytes: loaded().scriptBytes };
  } finally {
    await browser.close();
  }
}

/** The first view of the catalogue on a slowed-down phone in headless Chromium. */
export async function firstView(): Promise<Figure[]> {
  if (findChromium() === undefined) return [];
  const rounds = await inTempFolder((folder) =>
    whileStoreRuns(folder, async ({ url }) => {
      await publishApps(url, APPS);
      const seen: Seen[] = [];
      for (let round = 0; round < ROUNDS; round += 1) seen.push(await look(url));
      return seen;
    }),
  );
  const middle = (key: keyof Seen): number => median(rounds.map((seen) => seen[key]));
  const method = `a quarter of this machine's speed, ${NETWORK.latency} ms, ${(NETWORK.downloadThroughput * 8) / 1e6} Mbit/s; median of ${ROUNDS}`;
  return [
    {
      name: `Script of the catalogue's first view, compressed`,
      measured: `with ${APPS} apps`,
      value: middle('scriptBytes') / 1000,
      unit: ' kB',
      bound: { most: 15 },
    },
    {
      name: "Largest paint of the catalogue's first view on a slow phone",
      measured: method,
      value: middle('paint') / 1000,
      unit: ' s',
      bound: { most: 0.7 },
    },
    {
      name: 'Slowest response to a key while searching on a slow phone',
      measured: 'the same; longest event until its next paint',
      value: middle('key'),
      unit: ' ms',
      bound: { most: 100 },
    },
  ];
}
