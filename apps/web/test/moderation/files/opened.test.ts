import { png, sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { OpenedBundles, textOf } from '../../../src/moderation/files/opened.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('two bundles side by side', () => {
  const opened = new OpenedBundles(
    sampleBundle({ version: '1.1.0' }, { 'ui/a.js': 'let a = 2;\n', 'assets/new.png': png(8) }),
    sampleBundle({ version: '1.0.0' }, { 'ui/a.js': 'let a = 1;\n', 'ui/old.js': 'gone();\n' }),
  );

  it('list the state of every file', async () => {
    const { files, sha256 } = await opened.list();
    expect(files.map(({ path, state, isText }) => [path, state, isText])).toEqual([
      ['CHANGELOG.md', 'same', true],
      ['README.md', 'same', true],
      ['assets/icon.png', 'same', false],
      ['assets/mark.svg', 'same', true],
      ['assets/new.png', 'added', false],
      ['plugin.json', 'changed', true],
      ['ui/a.js', 'changed', true],
      ['ui/old.js', 'removed', true],
    ]);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(files.find(({ path }) => path === 'ui/a.js')?.next).toMatchObject({ size: 11 });
  });

  it('show a file line by line', () => {
    const shown = (path: string) => opened.view(path, false).rows.map(({ sign, text }) => sign + text);
    expect(shown('ui/a.js')).toEqual(['-let a = 1;', '+let a = 2;', ' ']);
    expect(shown('ui/old.js')).toEqual(['-gone();', '-']);
    expect(shown('no/such.js')).toEqual([]);
  });

  it('mark no file as new when there is no base', async () => {
    const alone = new OpenedBundles(sampleBundle(), null);
    expect((await alone.list()).files.every(({ state }) => state === 'same')).toBe(true);
    expect(alone.view('README.md', true).rows[0]).toMatchObject({ sign: ' ', text: '# Notes' });
  });

  it('refuse an invalid bundle', () => {
    expect(() => new OpenedBundles(bytes('no zip'), null)).toThrow();
  });
});

describe('a file that is read as text', () => {
  it('is any script or page, even with binary bytes in it', () => {
    expect(textOf('ui/a.js', bytes('alert(1)\0'))).toBe('alert(1)\0');
    expect(textOf('ui/a.html', Uint8Array.of(0xff, 0x41))).toBe('\ufffdA');
  });

  it('is any other file in UTF-8', () => {
    expect(textOf('LICENSE', bytes('free'))).toBe('free');
    expect(textOf('assets/a.png', png(8))).toBeNull();
    expect(textOf('LICENSE', Uint8Array.of(0xff, 0x41))).toBeNull();
  });
});

describe('the manifest', () => {
  it('is shown with one value a line, so that a change in a minified one can be seen', () => {
    const minified = new OpenedBundles(
      sampleBundle({ version: '1.1.0', description: 'Keeps notes, and sends them.' }),
      sampleBundle({ version: '1.0.0', description: 'Keeps notes.' }),
    );
    const rows = minified.view('plugin.json', false).rows.filter(({ sign }) => sign === '+' || sign === '-');
    expect(rows.map(({ sign, text }) => sign + text.trim())).toEqual([
      '-"version": "1.0.0",',
      '-"description": "Keeps notes.",',
      '+"version": "1.1.0",',
      '+"description": "Keeps notes, and sends them.",',
    ]);
  });
});
