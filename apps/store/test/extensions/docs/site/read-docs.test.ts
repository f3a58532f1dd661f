import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROUTES } from '@svc/contracts';
import { isCode } from '@svc/validator';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../../../src/composition/settings.ts';
import { readDocs } from '../../../../src/extensions/docs/site/read-docs.ts';

const ROOT = join(import.meta.dirname, '../../../../../..');
const FOLDER = join(ROOT, 'docs');

const docs = await readDocs();
const all = [...docs.pages.values(), ...(docs.index ? [docs.index] : [])];
const paths = new Set<string>(Object.values(ROUTES).map(({ path }) => path));

/** The problem of a link in a rendered document; null if its target exists. */
function faultOf(from: string, href: string): string | null {
  if (href.startsWith('https://')) return null;
  const [path = '', anchor] = href.split('#');
  const here = path === '' ? `/docs/${from}` : path;
  const name = here === '/docs' ? 'index' : (/^\/docs\/([^/]+)$/.exec(here)?.[1] ?? '');
  const doc = all.find((one) => one.name === name);
  if (doc) {
    const isThere = anchor === undefined || doc.sections.some(({ id }) => id === anchor);
    return isThere ? null : `${from}: ${href} has no such heading`;
  }
  const code = /^\/docs\/codes\/(.+)$/.exec(here)?.[1];
  const leads = code === undefined ? paths.has(here) : isCode(code);
  return leads ? null : `${from}: ${href} leads nowhere`;
}

describe('the documents of the repository', () => {
  it('are all loaded, and all linked from the index', () => {
    const files = globSync(['*.md', 'reference/*.md'], { cwd: FOLDER })
      .map((file) => basename(file))
      .filter((file) => file !== 'index.md');
    expect([...docs.pages.keys()].sort()).toEqual(files.map((file) => file.slice(0, -3)).sort());
    expect(
      files.map((file) => file.slice(0, -3)).filter((name) => !docs.index?.linksTo.includes(name)),
    ).toEqual([]);
  });

  it('have at most 12 kB each, and together at most 30 pages and 220 kB, and CONTRIBUTING 10 kB', () => {
    const sizes = globSync('*.md', { cwd: FOLDER }).map(
      (file) => [file, statSync(join(FOLDER, file)).size] as const,
    );
    expect(sizes.filter(([, size]) => size > 12 * 1024)).toEqual([]);
    expect(sizes.length).toBeGreaterThan(20);
    expect(sizes.length).toBeLessThanOrEqual(30);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(220 * 1000);
    expect(statSync(join(ROOT, 'CONTRIBUTING.md')).size).toBeLessThanOrEqual(10 * 1000);
  });

  it('are in the order of the index', () => {
    const order = [...new Set(docs.index?.linksTo)].filter((name) => docs.pages.has(name));
    expect([...docs.pages.keys()]).toEqual(order);
  });

  it('contain no broken links', () => {
    const links = all.flatMap(({ name, html }) =>
      [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => [name, href] as const),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.map(([name, href]) => faultOf(name, href)).filter(Boolean)).toEqual([]);
  });

  it('name only files of the repository that exist, as do all its other pages', () => {
    const files = globSync(
      ['*.md', '.changeset/*.md', '{apps,deploy,docs,examples,interop,packages,tools}/**/*.md'],
      {
        cwd: ROOT,
        exclude: ['**/node_modules/**', '**/dist/**'],
      },
    );
    const missing = files.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8').replace(/^```.*?^```/gms, '');
      const links = [...text.matchAll(/\]\((?!https?:|\/|#|<)([^)#\s]+)/g)].map(([, target = '']) =>
        join(file, '..', target),
      );
      const names = [...text.matchAll(/`(docs\/[\w./-]+\.md)`/g)].map(([, name = '']) => name);
      return [...links, ...names]
        .filter((name) => !existsSync(join(ROOT, name)))
        .map((name) => `${file}: ${name}`);
    });
    expect(files.length).toBeGreaterThan(60);
    expect(missing).toEqual([]);
  });

  it('begin with unique titles', () => {
    const titles = all.map(({ html, title }) => (html.startsWith('<h1 ') ? title : 'untitled'));
    expect(titles).not.toContain('untitled');
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('have a row for every setting, and for no other', () => {
    const text = readFileSync(join(FOLDER, 'reference/settings.md'), 'utf8');
    const table = text.slice(text.indexOf('| variable |'), text.indexOf('<!-- /settings -->'));
    const named = [...table.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/[A-Z_]+/g) ?? [],
    );
    expect(named.sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('list every interop vector for authors of clients', () => {
    const text = ['client.md', 'client-calls.md']
      .map((page) => readFileSync(join(FOLDER, page), 'utf8'))
      .join('\n');
    const named = [...text.matchAll(/`(interop\/[\w./-]+\.\w+)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(join(FOLDER, '..', file)))).toEqual([]);
    const there = globSync('interop/**/*.json', { cwd: join(FOLDER, '..') });
    expect(named.filter((file) => file.endsWith('.json')).sort()).toEqual(there.sort());
  });
});
