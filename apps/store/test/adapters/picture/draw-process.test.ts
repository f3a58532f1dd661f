import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { createProcessRenderer } from '../../../src/adapters/picture/process-renderer.ts';
import type { Preview } from '../../../src/platform/picture-renderer.ts';

const renderer = createProcessRenderer();
afterAll(() => renderer.close());

const icon = () =>
  sharp({ create: { width: 256, height: 256, channels: 3, background: '#ff00ff' } })
    .png()
    .toBuffer();

/** Draws a preview, and returns its pixels as red, green and blue. */
async function drawn(changes: Partial<Preview>) {
  const preview = {
    picture: await icon(),
    title: 'Notes',
    subtitle: 'Acme',
    foot: 'svc',
    accent: '#b00020',
    ...changes,
  };
  const drawing = await renderer.drawPreview(preview);
  if (!drawing.ok) throw new Error(drawing.why);
  const image = sharp(drawing.png);
  const { format, width, height } = await image.metadata();
  const pixels = await image.removeAlpha().raw().toBuffer();
  return { bytes: drawing.png.byteLength, looks: { format, width, height }, pixels };
}

/** The number of pixels in an area whose colour passes the test. */
function count(
  { pixels }: { pixels: Buffer },
  [left, top, right, bottom]: readonly [number, number, number, number],
  test: (red: number, green: number, blue: number) => boolean,
): number {
  let found = 0;
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      const at = 3 * (1200 * y + x);
      if (test(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0)) found += 1;
    }
  return found;
}

const ICON_AREA = [90, 140, 390, 440] as const;
const TEXT_AREA = [440, 0, 1200, 600] as const;
const isLight = (red: number, green: number, blue: number) => red > 150 && green > 150 && blue > 150;
const isRed = (red: number, green: number, blue: number) => red > 150 && green < 60 && blue < 60;
const isMagenta = (red: number, green: number, blue: number) => red > 200 && green < 60 && blue > 200;

describe('a link preview', () => {
  it('is a PNG of 1200 by 630 pixels under 100 kB with the icon, its corners rounded, and the texts', async () => {
    const preview = await drawn({});
    expect(preview.looks).toEqual({ format: 'png', width: 1200, height: 630 });
    expect(preview.bytes).toBeLessThan(100_000);
    expect(count(preview, ICON_AREA, isMagenta)).toBeGreaterThan(80_000);
    expect(count(preview, [90, 140, 96, 146], isMagenta)).toBe(0);
    expect(count(preview, TEXT_AREA, isLight)).toBeGreaterThan(1_000);
  });

  it('shows markup as text: no colours, sizes or entities in it take effect', async () => {
    const markup = await drawn({ title: '<span foreground="#ff0000" size="90000">Red</span>' });
    expect(count(markup, TEXT_AREA, isRed)).toBe(0);
    // The whole markup is visible, not only its three letters.
    const plain = await drawn({ title: 'Red' });
    expect(count(markup, TEXT_AREA, isLight)).toBeGreaterThan(2 * count(plain, TEXT_AREA, isLight));
    const entity = await drawn({ title: '&#65;&lt;' });
    expect(entity.pixels.equals((await drawn({ title: 'A<' })).pixels)).toBe(false);
  });

  it.each(['<', '&', '</span>', ']]>', '<!--', '"\'', '<b', '&nosuch;'])(
    'draws %s as text',
    async (title) => {
      const preview = await drawn({ title, subtitle: title, foot: title });
      expect(count(preview, TEXT_AREA, isLight)).toBeGreaterThan(20);
    },
  );

  it.each([
    ['the longest words', 'W'.repeat(40), 'W'.repeat(80), 'W'.repeat(40)],
    ['the longest id', 'w'.repeat(64), 'w'.repeat(40), 'a'.repeat(63)],
    ['many words', 'Notes and '.repeat(4), 'Acme and '.repeat(8), 'store '.repeat(6)],
    ['the shortest texts', 'A', '', ''],
  ])('fits %s', async (_what, title, subtitle, foot) => {
    const preview = await drawn({ title, subtitle, foot });
    expect(preview.looks).toEqual({ format: 'png', width: 1200, height: 630 });
    // No text overflows the edge or overlaps the icon.
    expect(count(preview, [1120, 0, 1200, 600], isLight)).toBe(0);
    expect(count(preview, [395, 0, 445, 460], isLight)).toBe(0);
  });
});
