import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { panelDocument } from '../../../src/panels/document/panel-document.ts';
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
