import { execFileSync } from 'node:child_process';
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

const REPOSITORY = join(import.meta.dirname, '..');

const textsOf = (...patterns: string[]): readonly (readonly [file: string, text: string])[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: REPOSITORY, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '')
    .map((file) => [file, readFileSync(join(REPOSITORY, file), 'utf8')] as const);

const classesIn = (text: string): string[] =>
  [...text.matchAll(/\.(-?[a-z][\w-]*)/gi)].map(([, name = '']) => name);

/** The selectors of a style sheet. A comma within brackets divides none. */
function selectorsOf(css: string): string[] {
  const lists = [...css.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};@]+)\{/g)].map(([, list = '']) =>
    list.trim(),
  );
  return lists.flatMap((list) => {
    const parts = [''];
    let depth = 0;
    for (const sign of list) {
      depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
      if (sign === ',' && depth === 0) parts.push('');
      else parts[parts.length - 1] += sign;
    }
    return parts.map((part) => part.trim().replace(/\s+/g, ' '));
  });
}

/** Classes that no markup of ours names: of the highlighter, and with a number that is computed. */
const COMPUTED = /^(?:hljs-|level-\d|letter-\d)/;

/** The classes of style sheets that no source names as a word. */
function unused(css: string, source: string): string[] {
  const words = new Set(source.match(/[\w-]+/g));
  const named = new Set(selectorsOf(css).flatMap(classesIn));
  return [...named].filter((name) => !words.has(name) && !COMPUTED.test(name));
}

/**
 * The selectors of a page's sheet that select parts of packages/ui alone. The sheet is in no layer, so it would silently win everywhere;
 * one that means a part in one place names that place.
 * @param owned the classes of packages/ui
 */
const overriding = (css: string, owned: ReadonlySet<string>): string[] =>
  selectorsOf(css).filter((selector) => {
    const classes = classesIn(selector);
    return classes.length > 0 && classes.every((name) => owned.has(name)) && !/[#[]/.test(selector);
  });

describe('style sheets', () => {
  const ui = textsOf('packages/ui/static/*.css')
    .map(([, css]) => css)
    .join('');
  const owned = new Set(selectorsOf(ui).flatMap(classesIn));
  const pages = textsOf('apps/store/static/*.css', 'apps/web/src/*.css', 'apps/desktop/page/src/*.css');

  it('have no class that no markup uses', () => {
    const folders = ['apps/store/src', 'apps/store/static', 'apps/web', 'apps/desktop/page', 'packages/ui'];
    const sources = textsOf(...folders, 'packages/permissions/src', 'packages/validator/src')
      .filter(([file]) => /\.(?:tsx?|js|html)$/.test(file) && !file.includes('/test/'))
      .map(([, text]) => text)
      .join('\n');
    expect(owned.size).toBeGreaterThan(50);
    const css = `${ui}${pages.map(([, text]) => text).join('')}`;
    expect(unused(css, sources)).toEqual([]);
    expect(unused('.a-class-of-nothing, .card { }', sources)).toEqual(['a-class-of-nothing']);
  });

  it('of pages do not change a part of packages/ui everywhere', () => {
    const found = pages.flatMap(([file, css]) => overriding(css, owned).map((one) => `${file}: ${one}`));
    expect(found).toEqual([]);
    expect(overriding('.card h3, .card .mine, #here .card, h1 { }', new Set(['card']))).toEqual(['.card h3']);
  });
});

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
