import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { exampleEntries } from '../../src/example.ts';
import type { Mode } from '../../src/rule.ts';
import { validateBundle } from '../../src/validate.ts';
import { jpeg, png, svg, vp8, webpOf } from '../pictures/build.ts';

/** The findings in the example bundle with these pictures, as `code level path`. */
function found(pictures: { icon?: string | Uint8Array; mark?: string | Uint8Array }, mode: Mode = 'store') {
  const { icon = svg(''), mark = svg('') } = pictures;
  const branding = { icon: 'assets/a.png', mark: 'assets/b.svg' };
  const sample = { manifest: { branding }, files: { 'assets/a.png': icon, 'assets/b.svg': mark } };
  const { issues } = validateBundle(exampleEntries(sample), { mode });
  return issues.map(({ code, level, path }) => `${code} ${level} ${path}`);
}

const SCRIPT = svg('<script/>');
const IN_ICON = '/branding/icon';

describe('the icon', () => {
  it('must be a PNG or an SVG by content, under any name', () => {
    expect(found({ icon: png(512) })).toEqual([]);
    expect(found({ icon: svg('') })).toEqual([]);
    for (const icon of [
      '',
      'GIF89a',
      '<svg/>',
      '<html/>',
      Uint8Array.of(0xff, 0xd8, 0xff),
      png(512).subarray(0, 60),
    ]) {
      expect(found({ icon })).toEqual([`branding.icon.type error ${IN_ICON}`]);
    }
  });

  it.each([
    ['a JPEG', jpeg(512), 'this file is a JPEG.'],
    ['a WebP', webpOf(vp8(512, 512)), 'this file is a WebP.'],
    ['a GIF', 'GIF89a', 'this file is a GIF.'],
    ['a PNG cut off', png(512).subarray(0, 60), 'this file begins like a PNG, but it is cut off'],
    ['a PNG that is too wide', png(16_385, 1), 'it declares 16385 by 1 pixels'],
  ])('may not be %s', (_, icon, why) => {
    const sample = { manifest: { branding: { icon: 'a.png' } }, files: { 'a.png': icon } };
    const { issues } = validateBundle(exampleEntries(sample), { mode: 'store' });
    const message = expect.stringContaining(why);
    expect(issues.filter(({ path }) => path === IN_ICON)).toMatchObject([
      { code: 'branding.icon.type', message },
    ]);
  });

  it.each([
    [1, 'error'],
    [255, 'error'],
    [256, 'warning'],
    [511, 'warning'],
  ])('of %i pixels is too small: %s', (side, level) => {
    expect(found({ icon: png(side) })).toEqual([`branding.icon.small ${level} ${IN_ICON}`]);
    expect(found({ icon: png(side) }, 'dev')).toEqual([`branding.icon.small ${level} ${IN_ICON}`]);
  });

  it.each([512, 513, 1024])('of %i pixels is large enough', (side) =>
    expect(found({ icon: png(side) })).toEqual([]),
  );

  it('is square', () => {
    const line = `branding.icon.square error ${IN_ICON}`;
    expect(found({ icon: png(512, 513) })).toEqual([line]);
    expect(found({ icon: png(512, 511) })).toEqual([line, `branding.icon.small warning ${IN_ICON}`]);
    expect(found({ icon: png(600, 255) })).toEqual([line, `branding.icon.small error ${IN_ICON}`]);
    expect(found({ icon: svg('').replace('0 0 24 24', '0 0 24 25') })).toEqual([line]);
    expect(found({ icon: svg('').replace('viewBox', 'data-none') })).toEqual([line]);
    expect(found({ icon: png(2048, 2049) })).toEqual([line]);
    expect(found({ icon: svg('', 'width="90mm" height="90.2mm"') })).toEqual([line]);
  });

  it.each([
    ['135.46666mm', '135.46667mm'], // Inkscape
    ['90.3365mm', '90.3263mm'], // CorelDRAW
    ['1000', '999.98'],
  ])('may be an SVG with rounded sides of %s and %s', (width, height) => {
    expect(found({ icon: svg('', `width="${width}" height="${height}"`) })).toEqual([]);
  });

  it('as an SVG may have any size, and its width and height take precedence over its viewBox', () => {
    expect(found({ icon: svg('', 'width="1" height="1"') })).toEqual([]);
    expect(found({ icon: svg('', 'width="1" height="2"') })).toEqual([
      `branding.icon.square error ${IN_ICON}`,
    ]);
    expect(found({ icon: svg('', 'width="1em" height="100%"') })).toEqual([]);
  });

  it('as an SVG may not contain a script', () =>
    expect(found({ icon: SCRIPT })).toEqual([`branding.mark.script error ${IN_ICON}`]));

  it('is not read when it is too large', () => {
    const large = Buffer.concat([Buffer.from(SCRIPT), Buffer.alloc(LIMITS.branding.iconBytes)]);
    expect(found({ icon: large })).toEqual([`branding.icon.size error ${IN_ICON}`]);
    expect(found({ mark: large })).toEqual(['branding.mark.size error /branding/mark']);
  });
});

describe('the mark', () => {
  it('is an SVG', () => {
    for (const mark of [png(512), jpeg(512), '', '<svg/>', 'a', '<svg xmlns="http://www.w3.org/2000/svg">']) {
      expect(found({ mark })).toEqual(['branding.mark.svg error /branding/mark']);
    }
  });

  it('may not contain a script', () =>
    expect(found({ icon: SCRIPT, mark: SCRIPT })).toEqual([
      `branding.mark.script error ${IN_ICON}`,
      'branding.mark.script error /branding/mark',
    ]));

  it('may have any shape', () =>
    expect(found({ mark: svg('').replace('0 0 24 24', '0 0 24 12') })).toEqual([]));
});
