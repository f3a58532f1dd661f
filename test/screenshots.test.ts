import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROUTES, type Route } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../apps/desktop/page/src/routes.ts';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { SCHEMES, take, WIDTHS } from '../tools/screenshots/take.ts';
import { VIEWS } from '../tools/screenshots/views.ts';

const WEB = join(import.meta.dirname, '../apps/web/src');

/** Routes without their own page, and where their response is visible. */
const WITHOUT_A_PAGE: Readonly<Record<string, string>> = {
  signOut: 'leads to the catalogue',
  forgotten: 'says the same to everyone: see forgottenPage',
};

const pathsOf = (views: typeof VIEWS): string[] =>
  views.flatMap(({ path }) => (typeof path === 'string' ? [path.replace(/[?#].*/, '')] : []));

describe('the table of views', () => {
  it('contains every route of the store with an HTML page', () => {
    const all: [string, Route][] = Object.entries(ROUTES);
    const pages = all.filter(
      ([, { page, pageToo, success }]) =>
        page || pageToo || ('type' in success && success.type === 'text/html'),
    );
    const taken = new Set<string>(VIEWS.flatMap(({ routes }) => routes));
    expect(pages.length).toBeGreaterThan(30);
    const missing = pages
      .map(([name]) => name)
      .filter((name) => !taken.has(name) && !(name in WITHOUT_A_PAGE));
    expect(missing).toEqual([]);
  });

  it.each(['account', 'admin', 'moderation'])('contains every path of the page %s', (page) => {
    const source = readFileSync(join(WEB, page, 'page.tsx'), 'utf8');
    const named = [...source.matchAll(/path(?::| ===) '(\/[a-z/]+)'/g)].map(([, path = '']) => path);
    const patterns = [...source.matchAll(/\/(\^\\\/[^\n]+\$)\//g)].map(
      ([, pattern = '']) => new RegExp(pattern),
    );
    const paths = pathsOf(VIEWS);
    expect(named.length + patterns.length).toBeGreaterThan(2);
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
    expect(patterns.filter((pattern) => !paths.some((path) => pattern.test(path)))).toEqual([]);
  });

  it('contains every page of the desktop in the states empty, usual and failing', () => {
    const states = VIEWS.filter(({ routes }) => routes.length === 0).map(
      ({ name, state }) => `${name}.${state}`,
    );
    const wanted = PAGES.flatMap((page) =>
      ['empty', 'usual', 'failing'].map((state) => `desktop-${page}.${state}`),
    );
    expect(wanted.filter((view) => !states.includes(view))).toEqual([]);
  });

  it('gives each view a unique name', () => {
    const names = VIEWS.map(({ name, state }) => `${name}.${state}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

describe('the screenshots', NEEDS_BROWSER, () => {
  it('show every view at every width, light and dark, without layout faults', {
    ...DEEP,
    timeout: 3_600_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-screenshots-'));
    const browser = await openBrowser();
    try {
      const looks = { widths: WIDTHS, schemes: SCHEMES };
      const shots = await take(browser, VIEWS, { folder, looks, report: () => undefined });
      expect(shots.filter(({ faults }) => faults.length > 0)).toEqual([]);
      expect((await readdir(folder)).length).toBe(VIEWS.length * WIDTHS.length * SCHEMES.length);
    } finally {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
