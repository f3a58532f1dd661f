import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ranges from '@fontsource-variable/inter/unicode.json' with { type: 'json' };
import subsetFont from 'subset-font';

const SOURCE = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';

const FILE = 'packages/ui/static/inter-latin.woff2';

/** The weights of `tokens.css`: those that no page uses would be a third of what the first view waits for. */
const WEIGHTS = { min: 400, max: 700 };

const charactersOf = (range: string): string =>
  range
    .replaceAll('U+', '')
    .split(',')
    .map((part) => part.split('-').map((digits) => Number.parseInt(digits, 16)))
    .map(([from = 0, to = from]) =>
      Array.from({ length: to - from + 1 }, (_, n) => String.fromCodePoint(from + n)).join(''),
    )
    .join('');

/** The font of all pages: Inter in the weights that they use, with all characters of its first file. */
export async function generateFonts(): Promise<Map<string, Uint8Array>> {
  const font = await readFile(fileURLToPath(import.meta.resolve(SOURCE)));
  const options = { targetFormat: 'woff2' as const, variationAxes: { wght: WEIGHTS } };
  return new Map([[FILE, await subsetFont(font, charactersOf(ranges.latin), options)]]);
}
