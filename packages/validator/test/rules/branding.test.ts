import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_MANIFEST, exampleEntries } from '../../src/example.ts';
import { fixesFor, validateBundle } from '../../src/validate.ts';
import { jpeg, png, svg, vp8, vp8x, webpOf } from '../pictures/build.ts';
import { findings, issuesOf, linesOf } from '../support.ts';

const icon = 'assets/icon.svg';

describe('branding', () => {
  it('is required only in store mode, for its icon', () => {
    expect(findings({ branding: undefined })).toEqual(['branding.icon.missing /branding/icon']);
    expect(findings({ branding: undefined }, 'dev')).toEqual([]);
    expect(findings({ branding: null })).toEqual(['branding.format /branding']);
  });

  it.each(['/a.png', '../a.png', 'a/../../b.png', 'https://a.example/i.png', 'a\\b.png', '', 7, null])(
    'refuses the path %j',
    (path) => {
      expect(findings({ branding: { icon: path } })).toEqual(['branding.icon /branding/icon']);
      expect(findings({ branding: { icon, mark: path } })).toEqual(['branding.mark /branding/mark']);
      expect(findings({ branding: { icon, screenshots: [path] } })).toEqual([
        'branding.screenshots /branding/screenshots/0',
      ]);
    },
  );

  it.each(['./assets/icon.svg', '/assets/icon.svg', 'assets\\icon.svg'])(
    'says what was meant by the path %s',
    (path) => {
      const branding = { icon: path, mark: path, screenshots: [path] };
      const panels = [{ id: 'a', title: 'A', component: 'webview', config: { entry: path } }];
      const messages = issuesOf({ branding, contributes: { panels } }).map(({ message }) => message);
      expect(messages).toHaveLength(4);
      for (const message of messages) expect(message).toMatch('Did you mean "assets/icon.svg"?');
    },
  );

  it.each(['#000000', '#aBcDeF'])('accepts the accent %s', (accent) =>
    expect(findings({ branding: { icon, accent } })).toEqual([]),
  );
  it.each(['#000', '000000', '#0000000', '#00000g', '#000000\n', 'red', '#000000;}', 7])(
    'refuses the accent %j',
    (accent) =>
      expect(findings({ branding: { icon, accent } })).toEqual(['branding.accent /branding/accent']),
  );

  it('has up to 8 screenshots', () => {
    const shots = (count: number) => Array.from({ length: count }, (_, index) => `assets/${index}.png`);
    expect(findings({ branding: { icon, screenshots: shots(8) } })).toEqual([]);
    expect(findings({ branding: { icon, screenshots: shots(9) } })).toEqual([
      'branding.screenshots /branding/screenshots',
    ]);
    expect(
      findings({ branding: { icon, screenshots: ['a.PNG', 'a.jpg', 'a.jpeg', 'a.webp', 'a.gif'] } }),
    ).toEqual(['branding.screenshots /branding/screenshots/4']);
  });
});

describe('a screenshot', () => {
  it.each([
    ['a PNG', png(300)],
    ['a JPEG', jpeg(300)],
    ['a WebP', webpOf(vp8(300, 300))],
  ])('may be %s with the extension of another format', (_, bytes) => {
    for (const path of ['a.png', 'a.jpg', 'a.JPEG', 'a.webp']) expect(foundIn(bytes, path)).toEqual([]);
  });

  it.each([
    ['an HTML page', '<!doctype html><script>alert(1)</script>', 'this file is an HTML page'],
    ['an SVG', svg('<script/>'), 'this file is an SVG'],
    ['a GIF', 'GIF89a', 'this file is a GIF'],
    ['an empty file', '', 'this file is empty'],
    ['a JPEG cut off', jpeg(300).subarray(0, 80), 'this file begins like a JPEG, but it is cut off'],
    ['a JPEG that is too wide', jpeg(16_385, 1), 'it declares 16385 by 1 pixels'],
    ['a WebP with two sizes', webpOf(vp8x(9, 9), vp8(300, 300)), 'its header declares 9 by 9 pixels'],
    ['a PNG changed in one place', png(300).fill(1, 60, 61), 'does not match its checksum'],
    ['a picture after an HTML page', Buffer.concat([Buffer.from('<html>'), jpeg(300)]), 'an HTML page'],
  ])('may not be %s', (_, content, why) => {
    const message = expect.stringContaining(why);
    expect(issuesIn(content)).toMatchObject([
      { code: 'branding.screenshots', path: '/branding/screenshots/0', message },
    ]);
  });

  it('is reported with its own index', () => {
    const screenshots = ['a.png', 'b.png', '/c.png', 'd.png'];
    const files = { 'a.png': png(9), 'b.png': 'text', 'd.png': Buffer.from('GIF89a') };
    const { issues } = validateBundle(
      exampleEntries({ manifest: { branding: { icon, screenshots } }, files }),
      {
        mode: 'store',
      },
    );
    expect(linesOf(issues).filter((line) => line.startsWith('branding'))).toEqual([
      'branding.screenshots /branding/screenshots/1',
      'branding.screenshots /branding/screenshots/2',
      'branding.screenshots /branding/screenshots/3',
    ]);
  });

  it('is not read when it is too large', () => {
    const large = Buffer.alloc(LIMITS.branding.screenshotBytes + 1);
    expect(foundIn(large)).toEqual(['branding.screenshot.size /branding/screenshots/0']);
  });

  it('cannot inject a reason into a message', () => {
    const [issue] = issuesOf({ branding: { icon, screenshots: { path: 'a', why: 'is wonderful' } } });
    expect(issue?.message).toMatch(/^"screenshots" must be a list/);
  });
});

/** The findings with this file as the only screenshot. */
function issuesIn(content: string | Uint8Array, path = 'a.png') {
  const sample = { manifest: { branding: { icon, screenshots: [path] } }, files: { [path]: content } };
  return validateBundle(exampleEntries(sample), { mode: 'store' }).issues.filter(({ code }) =>
    code.startsWith('branding'),
  );
}

function foundIn(content: string | Uint8Array, path?: string): string[] {
  return linesOf(issuesIn(content, path));
}

describe('a repair of the branding', () => {
  const changesOf = (branding: object, entries?: ReadonlyMap<string, Uint8Array>) =>
    fixesFor({ ...EXAMPLE_MANIFEST, branding }, { mode: 'store', ...(entries && { entries }) }).map(
      ({ path, change }) => [path, change],
    );

  it.each([
    ['1a7f5c', '#1a7f5c'],
    ['#1A7', '#11AA77'],
    ['abc', '#aabbcc'],
  ])('writes the accent %j as %j', (accent, put) =>
    expect(changesOf({ icon, accent })).toEqual([['/branding/accent', { put }]]),
  );

  it.each(['green', '#1a7f', '#1a7f5c;', '1a7f5cff', 7, null])('does not change the accent %j', (accent) =>
    expect(changesOf({ icon, accent })).toEqual([]),
  );

  it('normalises paths to bundle paths', () => {
    const branding = {
      icon: './a/i.svg',
      mark: '/a/m.svg',
      screenshots: ['a.png', 'a\\s.png', 'https://a.example/s.png'],
    };
    expect(changesOf(branding)).toEqual([
      ['/branding/icon', { put: 'a/i.svg' }],
      ['/branding/mark', { put: 'a/m.svg' }],
      ['/branding/screenshots/1', { put: 'a/s.png' }],
    ]);
  });

  it('names only files that exist', () => {
    const entries = new Map([['a/m.svg', new Uint8Array()]]);
    expect(changesOf({ icon: './a/i.svg', mark: '/a/m.svg' }, entries)).toContainEqual([
      '/branding/mark',
      { put: 'a/m.svg' },
    ]);
    expect(changesOf({ icon: './a/i.svg' }, entries)).toEqual([]);
  });
});
