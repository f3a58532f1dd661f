import { eventually } from '@svc/testkit/eventually';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { seed } from '../../apps/web/test/support/seed.ts';

/** Maximum compressed size of a first view, in bytes: the initial window of a connection (RFC 6928: ten segments of 1,460 bytes). */
const MAX_BEFORE_PAINT_BYTES = 14_600;
const MAX_SCRIPT_BYTES = 5_000;
const MAX_ELEMENTS = 700;

const PHONE = { viewport: { width: 390, height: 844 } };

/** Lighthouse's slow mobile connection: resources that load late cause layout shifts, if there are any. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 };

type Loaded = { name: string; kind: string; start: number; bytes: number; isBlocking: boolean };
type View = {
  loaded: Loaded[];
  document: number;
  /** When the page had loaded everything it waits for, in milliseconds. On a busy machine, painting may be later. */
  ready: number;
  largest: string;
  moved: number;
  elements: number;
};

const VIEW = `(() => {
  const [document_] = performance.getEntriesByType('navigation');
  const read = (type) => new Promise((done) => {
    new PerformanceObserver((list, observer) => { observer.disconnect(); done(list.getEntries()); }).observe({ type, buffered: true });
    setTimeout(() => done([]), 500);
  });
  return (async () => {
    const [largest, shifts] = [await read('largest-contentful-paint'), await read('layout-shift')];
    return {
      loaded: performance.getEntriesByType('resource').map((one) => ({
        name: new URL(one.name).pathname,
        kind: one.initiatorType,
        start: one.startTime,
        bytes: one.encodedBodySize,
        isBlocking: one.renderBlockingStatus === 'blocking',
      })),
      document: document_.encodedBodySize,
      ready: document_.loadEventStart,
      largest: largest.at(-1)?.element?.localName ?? '',
      moved: shifts.reduce((sum, { value }) => sum + value, 0),
      elements: document.querySelectorAll('*').length,
    };
  })();
})()`;

const sum = (loaded: readonly Loaded[]): number => loaded.reduce((all, { bytes }) => all + bytes, 0);

describe('the first view of the catalogue, on a slow phone', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  let opened: Awaited<ReturnType<typeof openPage>>;
  let view: View;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    await seed(store);
    opened = await openPage(browser, 'about:blank', PHONE);
    const { page } = opened;
    const tools = await page.context().newCDPSession(page);
    await tools.send('Network.enable');
    await tools.send('Network.emulateNetworkConditions', SLOW);
    await page.goto(store.url, { waitUntil: 'load' });
    // The font loads last, and is cached for the next page.
    await eventually(async () => {
      if ((await page.evaluate(`localStorage.getItem('svc-font')`)) !== 'kept')
        throw new Error('No font yet.');
    });
    view = await page.evaluate<View>(VIEW);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  it('waits only for one style sheet and the script of the theme, within the size limits', () => {
    const blocking = view.loaded.filter(({ isBlocking }) => isBlocking);
    expect(blocking.map(({ kind }) => kind).sort()).toEqual(['link', 'script']);
    expect(view.document).toBeGreaterThan(1_000);
    expect(view.document + sum(blocking)).toBeLessThan(MAX_BEFORE_PAINT_BYTES);
    expect(sum(view.loaded.filter(({ kind }) => kind === 'script'))).toBeLessThan(MAX_SCRIPT_BYTES);
    expect(view.elements).toBeLessThan(MAX_ELEMENTS);
  });

  it('shows its text without waiting for a font or a picture', () => {
    const fonts = view.loaded.filter(({ name }) => name.endsWith('.woff2'));
    expect(fonts.length).toBe(1);
    expect(fonts.filter(({ start }) => start < view.ready)).toEqual([]);
    expect(view.largest).toBe('p');
  });

  it('has no layout shift, and neither has the next page, with the cached font', async () => {
    const { page, incidents } = opened;
    expect(view.moved).toBe(0);
    await page.goto(`${store.url}/categories/design`, { waitUntil: 'load' });
    const next = await page.evaluate<View>(VIEW);
    expect(next.moved).toBe(0);
    expect(await page.evaluate(`getComputedStyle(document.body).fontFamily.includes('Inter')`)).toBe(true);
    expect(incidents).toEqual([]);
  });
});

it(
  'is in the font of the store from the start on a fast connection, and nothing moves',
  NEEDS_BROWSER,
  async () => {
    const [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    onTestFinished(async () => {
      await closeContexts(browser);
      await store.close();
    });
    const { page, incidents } = await openPage(browser, 'about:blank');
    for (const path of ['/', '/docs']) {
      await page.goto(`${store.url}${path}`, { waitUntil: 'load' });
      const { loaded, moved, ready } = await page.evaluate<View>(VIEW);
      expect(moved).toBe(0);
      const [font, ...others] = loaded.filter(({ name }) => name.endsWith('.woff2'));
      expect(others).toEqual([]);
      expect(font).toMatchObject({ kind: 'link' });
      expect(await page.evaluate(`getComputedStyle(document.body).fontFamily.includes('Inter')`)).toBe(true);
      // On a busy machine it may arrive after the first paint, and is used from the next page on.
      expect(font?.start).toBeLessThan(ready);
    }
    expect(incidents).toEqual([]);
  },
);
