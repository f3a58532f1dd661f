import { describe, expect, it } from 'vitest';
import { markPages } from '../../src/web/mark-pages.ts';

describe('the built pages', () => {
  const text = '<!doctype html>\n<html lang="en">\n  <head></head></html>';
  const files = new Map([
    ['check.html', { body: new TextEncoder().encode(text), type: 'text/html' }],
    [
      'assets/check.js',
      { body: new TextEncoder().encode('"<html lang=\\"en\\">"'), type: 'text/javascript' },
    ],
  ]);
  const textOf = (all: ReturnType<typeof markPages>, name: string) =>
    new TextDecoder().decode(all.get(name)?.body);

  it('are told, and nothing else is changed', () => {
    const marked = markPages(files, { localApps: true });
    expect(textOf(marked, 'check.html')).toContain('<html lang="en" data-local-apps>');
    expect(textOf(marked, 'assets/check.js')).toBe(textOf(files, 'assets/check.js'));
    expect(textOf(markPages(files, { localApps: false }), 'check.html')).toBe(text);
  });
});
