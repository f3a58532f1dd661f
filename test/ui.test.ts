import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../apps/web/test/support/faults-of.ts';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../apps/web/test/support/real-browser.ts';
import { serveParts } from '../tools/ui/serve-parts.ts';

const STATIC = join(import.meta.dirname, '../packages/ui/static');

/** The page has long names, right-to-left names and words without a break: narrow windows show layout faults. */
const LOOKS = [
  ['light', 320, {}],
  ['dark', 320, DEEP],
  ['dark', 390, DEEP],
  ['light', 390, DEEP],
  ['light', 1280, DEEP],
  ['dark', 1280, DEEP],
] as const;

/**
 * The selectors of the page's style sheets that match no element. States of the pointer, the keyboard and the system are removed
 * from each selector, so that the element itself must exist.
 */
const UNSHOWN = `(() => {
  const PASSING = /:(?:hover|focus-visible|focus-within|focus|active)(?![\\w-])/g;
  const DRAWN = /::?(?:before|after)|::[\\w-]+/g;
  const partsOf = (selectors) => {
    const parts = [''];
    let depth = 0;
    for (const sign of selectors) {
      depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
      if (sign === ',' && depth === 0) parts.push('');
      else parts[parts.length - 1] += sign;
    }
    return parts.map((part) => part.trim());
  };
  const plain = (selector) =>
    selector.replace(/:not\\(:focus\\)/g, '').replace(PASSING, '').replace(DRAWN, '').trim() || '*';
  const rulesOf = (rule) =>
    [...(rule.selectorText === undefined ? [] : partsOf(rule.selectorText)), ...[...(rule.cssRules ?? [])].flatMap(rulesOf)];
  const sheets = [...document.styleSheets].filter((sheet) => sheet.href !== null);
  const selectors = sheets.flatMap((sheet) => [...sheet.cssRules].filter((rule) => rule.type !== CSSRule.KEYFRAMES_RULE).flatMap(rulesOf));
  return { all: selectors.length, unshown: selectors.filter((one) => document.querySelector(plain(one)) === null) };
})()`;

describe('the page of UI parts', NEEDS_BROWSER, () => {
  let browser: Browser;
  let served: Awaited<ReturnType<typeof serveParts>>;
  let page: Page;
  let incidents: string[];

  beforeAll(async () => {
    [browser, served] = await Promise.all([shareBrowser(), serveParts(0)]);
    ({ page, incidents } = await openPage(browser, served.url));
  });
  afterAll(async () => {
    await closeContexts(browser);
    await served?.close();
  });

  it('has an element for every rule of the style sheets', async () => {
    // A chosen theme and a loaded font are states too: a rule may apply in only one of them.
    const inTheme = async (theme: string) => {
      await page.evaluate(`document.querySelector('[data-choose="${theme}"]').click()`);
      await page.evaluate(`document.documentElement.dataset.font = 'kept'`);
      return page.evaluate<{ all: number; unshown: string[] }>(UNSHOWN);
    };
    const light = await inTheme('light');
    const dark = await inTheme('dark');
    await page.evaluate(`document.querySelector('[data-choose="system"]').click()`);
    expect(light.all).toBeGreaterThan(200);
    expect(light.unshown.filter((selector) => dark.unshown.includes(selector))).toEqual([]);
  });

  it('shows every token and every icon by its name', async () => {
    const icons = Object.keys(JSON.parse(readFileSync(join(STATIC, 'icons.json'), 'utf8')));
    const declared = readFileSync(join(STATIC, 'tokens.css'), 'utf8').match(/--[a-z0-9-]+(?=:)/g) ?? [];
    const shown = await page.locator('section code').allTextContents();
    expect(declared.length).toBeGreaterThan(40);
    expect([...icons, ...declared].filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('shows every component that packages/ui exports, by its name', async () => {
    const source = readFileSync(join(STATIC, '../src/index.ts'), 'utf8');
    const named = [...source.matchAll(/export \{([^}]+)\}/g)].flatMap(([, names = '']) => names.split(','));
    const components = named.map((name) => name.trim()).filter((name) => /^[A-Z]\w+$/.test(name));
    const shown = await page.locator('.ui-part > h3').allTextContents();
    expect(components.length).toBeGreaterThan(10);
    expect(components.filter((name) => !shown.includes(name))).toEqual([]);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations and fits its window, in ${colorScheme}, ${width} wide`, options, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await faultsOf(page)).toEqual([]);
      expect(incidents).toEqual([]);
    });
});
