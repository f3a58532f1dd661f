import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'));

/**
 * The fonts of link previews, by the names under which Pango finds them. They are the fonts of the pages, as TrueType, because the
 * renderer does not read WOFF2. Fonts of the machine are not used, so that a preview is the same everywhere.
 */
export const PREVIEW_FONTS = {
  regular: { file: join(FOLDER, '400Regular', 'Inter_400Regular.ttf'), name: 'Inter' },
  bold: { file: join(FOLDER, '600SemiBold', 'Inter_600SemiBold.ttf'), name: 'Inter Semi-Bold' },
} as const;

type Range = { from: number; to: number };

/** The offset of a table (OpenType 1.9, "Organization of an OpenType Font"). */
function tableAt(font: DataView, wanted: string): number {
  const count = font.getUint16(4);
  for (let record = 12; record < 12 + 16 * count; record += 16) {
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((n) => font.getUint8(record + n)));
    if (tag === wanted) return font.getUint32(record + 8);
  }
  throw new Error(`The font has no table ${wanted}.`);
}

/** The ranges of code points with glyphs, by segmented coverage (OpenType 1.9, "cmap", format 12). */
function groupsOf(font: DataView, at: number): Range[] {
  const count = font.getUint32(at + 12);
  return Array.from({ length: count }, (_, n) => {
    const group = at + 16 + 12 * n;
    return { from: font.getUint32(group), to: font.getUint32(group + 4) };
  });
}

/** The same for the Basic Multilingual Plane (format 4). A segment that maps through glyph ids has a glyph for each code point. */
function segmentsOf(font: DataView, at: number): Range[] {
  const size = font.getUint16(at + 6);
  return Array.from({ length: size / 2 }, (_, n) => ({
    from: font.getUint16(at + 16 + size + 2 * n),
    to: font.getUint16(at + 14 + 2 * n),
  })).filter(({ from }) => from !== 0xffff);
}

/** The code points that a font has glyphs for. */
function rangesOf(font: DataView): Range[] {
  const cmap = tableAt(font, 'cmap');
  const count = font.getUint16(cmap + 2);
  const tables = Array.from({ length: count }, (_, n) => cmap + font.getUint32(cmap + 4 + 8 * n + 4));
  const whole = tables.find((at) => font.getUint16(at) === 12);
  if (whole !== undefined) return groupsOf(font, whole);
  const plane = tables.find((at) => font.getUint16(at) === 4);
  if (plane === undefined) throw new Error('The font has no cmap table in format 4 or 12.');
  return segmentsOf(font, plane);
}

let ranges: Range[] | undefined;

/** The ranges of the font, read when the first preview is drawn. */
function letters(): Range[] {
  if (ranges) return ranges;
  const { buffer, byteOffset, byteLength } = readFileSync(PREVIEW_FONTS.bold.file);
  ranges = rangesOf(new DataView(buffer, byteOffset, byteLength));
  return ranges;
}

/** Whether the fonts have a glyph for each letter of a text. A missing glyph would be drawn as a box. */
export const canDraw = (text: string): boolean =>
  Array.from(text, (letter) => letter.codePointAt(0) ?? 0).every((point) =>
    letters().some(({ from, to }) => from <= point && point <= to),
  );
