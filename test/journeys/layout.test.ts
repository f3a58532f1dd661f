import { DEEP } from '@svc/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layoutFaultsOf } from '../../apps/web/test/support/layout-faults.ts';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { pagesOf, type Shown } from './support/pages.ts';
import { openStage, type Stage } from './support/stage.ts';

const WIDTHS = [320, 390, 768, 1280, 1680];
const PHONE = [390];

/** Pages that `npm test` measures: those with the most complex layout. */
const QUICK = new Set(['publisher', 'app', 'version', 'queue', 'check']);

/** Pages with one layout fault each, and its expected description. */
const BROKEN = [
  ['<p style="margin:0 0 -1em">one line</p><p style="margin:0">and another</p>', 'lies over "and another"'],
  [`<p style="white-space:nowrap">${'wide '.repeat(200)}</p>`, 'px wider than its window'],
  [
    '<div style="width:5rem;border:1px solid"><p style="width:9rem">a word that leaves</p></div>',
    'leaves div',
  ],
  ['<div style="height:0.5em;overflow:hidden">half of it</div>', 'is cut off by div'],
  [
    '<style>li{position:relative;padding-left:4px}li::before{content:"";position:absolute;left:4px;top:4px;width:17px;height:17px;background:red}</style><ol><li>Uploaded</li></ol>',
    'lies over li::before',
  ],
  ['<p style="width:2rem;overflow-wrap:anywhere">Password</p>', '"Password" is broken in p'],
  ['<table><tr><td style="display:none"></td><td>one</td></tr></table>', 'td is missing in its row'],
  ['<button>one</button><button style="margin-left:-2rem">two</button>', 'lies over button'],
] as const;

describe('layout: no overlapping texts, and no page wider than its window', NEEDS_BROWSER, () => {
  let browser: Browser;
  let stage: Stage;

  beforeAll(async () => {
    browser = await shareBrowser();
    stage = await openStage(browser);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await stage?.close();
  });

  async function expectNoFaults(pages: readonly Shown[], widths: readonly number[]): Promise<void> {
    const faults: string[] = [];
    for (const shown of pages) {
      const page = await stage.open(shown);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const found = await layoutFaultsOf(page);
        faults.push(...found.map((fault) => `${shown.path} at ${width}: ${fault}`));
      }
    }
    expect(pages.length).toBeGreaterThan(4);
    expect(faults).toEqual([]);
  }

  it('finds each fault of a broken page', DEEP, async () => {
    const { page } = await openPage(browser, 'about:blank', { viewport: { width: 390, height: 800 } });
    for (const [markup, fault] of BROKEN) {
      await page.setContent(`<!doctype html><html lang="en"><title>x</title><body>${markup}`);
      expect((await layoutFaultsOf(page)).join()).toContain(fault);
    }
    await page.setContent('<!doctype html><html lang="en"><title>x</title><body><p>one line<p>and another');
    expect(await layoutFaultsOf(page)).toEqual([]);
    await page.context().close();
  });

  it('has no faults on a phone with names of any length', DEEP, async () => {
    await stage.fill('full');
    await expectNoFaults(
      pagesOf('full').filter(({ name }) => QUICK.has(name)),
      PHONE,
    );
  });

  it.each(['empty', 'usual', 'full'] as const)(
    'has no faults on every page in the %s state, at every width',
    { ...DEEP, timeout: 600_000 },
    async (state) => {
      if (state !== 'full') await stage.fill(state);
      await expectNoFaults(pagesOf(state), WIDTHS);
    },
  );
});
