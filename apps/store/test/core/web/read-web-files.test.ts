import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routeNames } from '@svc/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { markPages, readWebFiles } from '../../../src/core/web/read-web-files.ts';

it('reads the files that a browser uses, and ignores other files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'check.html'), '<!doctype html>');
  await writeFile(join(folder, 'assets', 'check-1.js'), 'let a;');
  await writeFile(join(folder, '.env'), 'SECRET=1');
  const files = await readWebFiles(folder);
  expect([...files.keys()].sort()).toEqual(['assets/check-1.js', 'check.html']);
  expect(files.get('assets/check-1.js')).toMatchObject({ type: 'text/javascript; charset=utf-8' });
});

it('returns no files if the pages were not built', async () => {
  expect((await readWebFiles(null)).size).toBe(0);
});

const brand = {
  name: 'R&D <b>Apps',
  logo: '/assets/logo-abc.png',
  logoType: 'image/png',
  routeNames: routeNames(),
};

describe('the built pages', () => {
  const text =
    '<!doctype html>\n<html lang="en">\n  <head><title>Check</title></head><body><div id="page"></div></body></html>';
  const files = new Map([
    ['check.html', { body: new TextEncoder().encode(text), type: 'text/html' }],
    [
      'assets/check.js',
      { body: new TextEncoder().encode('"<html lang=\\"en\\">"'), type: 'text/javascript' },
    ],
  ]);
  const textOf = (all: ReturnType<typeof markPages>, name: string) =>
    new TextDecoder().decode(all.get(name)?.body);

  it('have the header and the footer of the store', () => {
    const page = textOf(markPages(files, { localApps: false, brand, without: [] }), 'check.html');
    for (const part of ['<header class="shell">', '<div id="page" class="page">', '<footer class="foot">'])
      expect(page.split(part)).toHaveLength(2);
    expect(page).toContain('<title>Check · R&amp;D &lt;b&gt;Apps</title>');
    expect(page).toContain('<bdi>R&amp;D &lt;b&gt;Apps</bdi>');
    // The policy of this page allows no requests: its header has no search form.
    expect(page).toContain('data-alone');
    expect(page).not.toContain('<form');
  });

  it('have data-local-apps if the store lists local apps, and name the extensions that it is without; scripts are unchanged', () => {
    const marked = markPages(files, { localApps: true, brand, without: ['ratings'] });
    expect(textOf(marked, 'check.html')).toContain('<html lang="en" data-local-apps data-without="ratings">');
    expect(textOf(marked, 'assets/check.js')).toBe(textOf(files, 'assets/check.js'));
    expect(textOf(markPages(files, { localApps: false, brand, without: [] }), 'check.html')).not.toContain(
      'data-local-apps',
    );
  });
});
