import { describe, expect, it } from 'vitest';
import { exampleEntries } from '../../src/example.ts';
import { validateBundle } from '../../src/validate.ts';
import { findings, linesOf } from '../support.ts';

const icon = 'assets/icon.svg';

describe('branding', () => {
  it('is missed for its icon alone, and in the store alone', () => {
    expect(findings({ branding: undefined })).toEqual(['branding.icon.missing /branding/icon']);
    expect(findings({ branding: undefined }, 'dev')).toEqual([]);
    expect(findings({ branding: null })).toEqual(['branding.format /branding']);
  });

  it.each(['/a.png', '../a.png', 'a/../../b.png', 'https://a.example/i.png', 'a\\b.png', '', 7, null])(
    'has no file at %j',
    (path) => {
      expect(findings({ branding: { icon: path } })).toEqual(['branding.icon /branding/icon']);
      expect(findings({ branding: { icon, mark: path } })).toEqual(['branding.mark /branding/mark']);
      expect(findings({ branding: { icon, screenshots: [path] } })).toEqual([
        'branding.screenshots /branding/screenshots/0',
      ]);
    },
  );

  it.each(['#000000', '#aBcDeF'])('takes the accent %s', (accent) =>
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

  it('knows a screenshot by what is in the file', () => {
    const sample = {
      manifest: { branding: { icon, screenshots: ['assets/a.png'] } },
      files: { 'assets/a.png': '<html>' },
    };
    expect(linesOf(validateBundle(exampleEntries(sample), { mode: 'store' }).issues)).toEqual([
      'branding.screenshots /branding/screenshots/0',
    ]);
  });
});
