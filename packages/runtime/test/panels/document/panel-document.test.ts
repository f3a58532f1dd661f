import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { linkModules, panelDocument, pathFrom } from '../../../src/panels/document/panel-document.ts';
import type { ServedPanel } from '../../../src/panels/serve-panel.ts';
import { bundleOf, panelApp } from '../../support/panel-app.ts';

const LINK = { key: 'a-key-"<', tool: 'panel_request' };

const documentOf = (files: Record<string, string>) =>
  panelDocument(
    {
      app: panelApp(),
      loopback: false,
      entry: 'ui/index.html',
      files: bundleOf(files),
    } as unknown as ServedPanel,
    LINK,
  );

it('writes the files of a panel into one document, of which only the scripts of the bundle run', () => {
  const { html, csp } = documentOf({
    'ui/index.html': `<!doctype html><html lang="en"><head><title>A &amp; B</title><link rel="stylesheet" href="style.css">
      <script type="module" src="panel.js"></script><script>alert(1)</script></head>
      <body><img src="../assets/a.png" alt=""><script src="old.js"></script></body></html>`,
    'ui/style.css': '@import "more.css"; body { background: url("../assets/a.png") }',
    'ui/more.css': 'p { color: red }',
    'ui/panel.js': `import { word } from './word.js'; document.title = word;`,
    'ui/word.js': `export const word = '</script><!-- <script>';`,
    'ui/old.js': 'window.old = 1;',
    'assets/a.png': 'png',
  });
  expect(html).toContain('<title>A &amp; B</title>');
  expect(html).toContain('p { color: red }');
  expect(html.match(/data:image\/png;base64,cG5n/g)).toHaveLength(2);
  expect(html).not.toMatch(/alert\(1\)|href="style.css"|src="(?:panel|old)\.js"/);
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code);
  expect(scripts).toHaveLength(3);
  const hashes = scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  const policy = /http-equiv="content-security-policy" content="([^"]*)"/
    .exec(html)?.[1]
    ?.replaceAll('&apos;', "'");
  expect(policy).toContain(`script-src ${hashes.join(' ')};`);
  expect(policy).toContain('connect-src data: https://*.cdn.test https://api.example.test');
  expect(policy).not.toMatch(/'self'|unsafe-eval/);
  expect(csp).toEqual({
    connectDomains: expect.arrayContaining(['https://api.example.test', 'wss://api.example.test']),
    resourceDomains: expect.arrayContaining(['https://api.example.test', 'https://*.cdn.test']),
  });
});

it('adds a head where a page has none, and refuses a page that is too large', () => {
  const { html } = documentOf({ 'ui/index.html': '<p>Here' });
  expect(html).toMatch(/^<head><meta charset="utf-8"><meta http-equiv="content-security-policy"/);
  expect(() => documentOf({ 'ui/index.html': 'x'.repeat(8 * 1024 * 1024) })).toThrow();
  expect(() => documentOf({})).toThrow();
});

async function run(files: Record<string, string>): Promise<unknown[]> {
  const code = linkModules('ui/a.js', (path) => files[path]);
  const told: unknown[] = [];
  const done = code.slice(0, code.lastIndexOf('$load(')).concat('return $load("ui/a.js");');
  await (new Function('told', done) as (told: unknown[]) => Promise<void>)(told);
  return told;
}

it('runs modules in their order, with live bindings, cycles, later imports and top-level await', async () => {
  const files = {
    'ui/a.js': `import shown, { count, raise } from './b.js';
      import * as all from "../assets/c.js";
      export const name = () => 'a';
      raise();
      told.push(shown, count, all.raise === raise, await Promise.resolve(all.own), import.meta.url);
      const { late } = await import('./d.js');
      told.push(late);`,
    'ui/b.js': `import { name } from './a.js';
      told.push('b first');
      export let count = 1;
      export function raise() { count += 1; }
      export default 'shown';
      export const asked = () => name();`,
    'assets/c.js': `export * from '../ui/b.js'; export const own = /[a&&[a]]/v.test('a');`,
    'ui/d.js': `export const late = 'later';`,
  };
  expect(await run(files)).toEqual(['b first', 'shown', 2, true, true, undefined, 'later']);
});

it('refuses what is no file of the bundle', () => {
  const link = (source: string) => () =>
    linkModules('ui/a.js', (path) => (path === 'ui/a.js' ? source : undefined));
  expect(link(`import 'https://elsewhere.example/x.js'`)).toThrow('no file of the app');
  expect(link(`import './gone.js'`)).toThrow('ui/gone.js');
  expect(pathFrom('ui/index.html', '../assets/a.png?x#y')).toBe('assets/a.png');
  expect(pathFrom('ui/index.html', '//elsewhere.example/a')).toBeNull();
});
