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

  it('look for the message of an error that is shown: an element for it is always there', () => {
    const all = [...textsOf('packages/ui/static/*.css'), ...pages];
    const found = all.flatMap(([, css]) => selectorsOf(css)).filter((one) => /:has\([^)]*\.fault/.test(one));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((one) => !one.includes('.fault:not([hidden])'))).toEqual([]);
  });

  it('of pages do not change a part of packages/ui everywhere', () => {
    const found = pages.flatMap(([file, css]) => overriding(css, owned).map((one) => `${file}: ${one}`));
    expect(found).toEqual([]);
    expect(overriding('.card h3, .card .mine, #here .card, h1 { }', new Set(['card']))).toEqual(['.card h3']);
  });
});

it('no script but the shared one copies a text', () => {
  const copying = textsOf('apps', 'packages').filter(
    ([file, text]) => /\bclipboard\s*(?:\?\.|\.)\s*write|execCommand/.test(text) && !file.includes('/test/'),
  );
  expect(copying.map(([file]) => file)).toEqual(['packages/ui/static/copy.js']);
});

const PAGES_OF_REACT = ['apps/web/src/*.tsx', 'apps/desktop/page/src/*.tsx', 'packages/ui/src/*.tsx'];

/** The opening tags of buttons in a source, and the texts of each. */
const buttonsIn = (source: string): { tag: string; label: string }[] =>
  [
    ...source.matchAll(
      /<[bB]utton\b((?:[^>{]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)>(?:([^<]*)<\/[bB]utton>)?/g,
    ),
  ].map(([, tag = '', children = '']) => {
    const label = tag.match(/(?<![-\w])label=("[^"]*"|\{[^}]*\})/)?.[1] ?? children.trim();
    return { tag, label: label.match(/'[^']*'/g)?.join(' or ') ?? label.replace(/^"|"$/g, '') };
  });

/** Buttons that are disabled for another reason than a request under way, and do not name the text that says why. */
const unexplained = (source: string): string[] =>
  buttonsIn(source)
    .filter(({ tag }) => /(?<!-)\bdisabled=/.test(tag) && !/aria-describedby/.test(tag))
    .filter(
      ({ tag }) =>
        !/\bdisabled=\{!?[\w.?]*(?:busy|isBusy|isRunning|isPending|isFetchingNextPage)\}/.test(tag),
    )
    .map(({ tag }) => tag.match(/disabled=\{([^}]*)\}/)?.[1] ?? '');

describe('a button that is pressed answers', () => {
  const sources = textsOf(...PAGES_OF_REACT);

  it('says in a dialog why it failed beside it: the body may be scrolled', () => {
    const within = /<Dialog\b(?:(?!<\/Dialog>)[\s\S])*<(?:ErrorMessage|Fault)\b/;
    const found = sources.filter(([, text]) => within.test(text));
    expect(found.map(([file]) => file)).toEqual([]);
    expect('<Dialog title="Install?">\n<p>It asks.</p><ErrorMessage error={error} />').toMatch(within);
  });

  it('says why it is disabled', () => {
    // Labels that say it themselves: the seconds that remain, and the ends of a list between which its number stands.
    const known = ['remaining > 0', 'retryAt === null', '!canLeave', 'at < 1', 'at > branches.length - 2'];
    const found = sources.flatMap(([, text]) => unexplained(text)).filter((one) => !known.includes(one));
    expect(found).toEqual([]);
    expect(sources.flatMap(([, text]) => buttonsIn(text)).length).toBeGreaterThan(100);
    expect(
      unexplained('<button type="button" disabled={name === \'\'} onClick={() => go()}>Go</button>'),
    ).toEqual(["name === ''"]);
  });

  it('reloads a list by the button that says so', () => {
    const reloads = /onClick=\{(?:\(\) => )?(?:void )?[\w.]*\b(?:reload|refetch)\b(?!\.reload)/;
    const found = sources.filter(([file, text]) => reloads.test(text) && !file.startsWith('packages/ui/'));
    expect(found.map(([file]) => file)).toEqual([]);
    expect('<button onClick={() => void queue.reload()}>').toMatch(reloads);
  });

  it('has no other of the same name in its source', () => {
    const twice = (source: string): string[] =>
      buttonsIn(source)
        .filter(({ tag, label }) => !/aria-label/.test(tag) && /[A-Z]/.test(label) && !DISMISSING.test(label))
        .map(({ label }) => label)
        .filter((label, at, all) => all.indexOf(label) !== at);
    const found = sources.flatMap(([file, text]) => twice(text).map((label) => `${file}: ${label}`));
    expect(found).toEqual([]);
    expect(
      twice(
        "<Button label={a ? 'Checking…' : 'Check now'} /> <button>{b ? 'Checking…' : 'Check now'}</button>",
      ),
    ).toHaveLength(1);
  });
});

/** Of one dialog or form after the other: never two at once. */
const DISMISSING = /^(?:Cancel|Close|Decline|Save|Retry|Choose another bundle)$/;

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

  it('copies the text before a button; where the browser refuses that, it says so, and selects the text', async () => {
    const block = page.locator('.code-block');
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByText('Could not copy. The text is selected: copy it.').waitFor();
    expect(await page.evaluate<string>('String(getSelection())')).toMatch(/^svc publish/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^svc publish/);
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

  it('shows what is current or pressed also in the colours of the system', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    const outlines = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.tabs :is([aria-current], [aria-selected=true]), .pills [aria-pressed=true]')].map((one) => getComputedStyle(one).outlineStyle)`,
    );
    await page.emulateMedia({ forcedColors: 'none' });
    expect(outlines.length).toBeGreaterThan(1);
    expect(new Set(outlines)).toEqual(new Set(['solid']));
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations and fits its window, in ${colorScheme}, ${width} wide`, options, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await faultsOf(page)).toEqual([]);
      expect(incidents).toEqual([]);
    });
});
