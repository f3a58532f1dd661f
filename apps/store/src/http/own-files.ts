import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse } from 'node:path';
import { partFolder } from '../platform/own-package.ts';

/** A file that the store serves under a name with the hash of its content, so that browsers can cache it for a year. */
type OwnFile = { path: string; body: Uint8Array };

const STATIC = partFolder('static');
const UI = partFolder('ui');
const FONTS = join(
  dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json')),
  'files',
);

/** Each font file, its weights, and its characters (Unicode ranges of fontsource). Other scripts use a system font. */
const FONT_FILES = [
  [
    'inter-latin-ext-wght-normal.woff2',
    FONTS,
    '100 900',
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  ],
  [
    // Which `npm run gen` makes, in the weights of `tokens.css`.
    'inter-latin.woff2',
    UI,
    '400 700',
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  ],
] as const;

/** The parts of the style sheet of all pages, in order. */
const UI_STYLES = ['tokens.css', 'base.css', 'components.css', 'parts.css', 'shell.css'];

const HASH_LENGTH = 12;

function hashed(name: string, body: Uint8Array): OwnFile {
  const parts = parse(name);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  return { path: `assets/${parts.name}-${hash}${parts.ext}`, body };
}

// "optional" avoids a layout shift: a page whose font is late keeps the system's (theme.js, shell.js).
const fontFace = (address: string, weights: string, range: string): string =>
  `@font-face{font-family:"Inter Variable";font-weight:${weights};font-display:optional;src:url("/${address}") format("woff2");unicode-range:${range}}\n`;

/** Comments would be a tenth of what the first view waits for. */
const withoutComments = (style: string): string =>
  style
    .split('/*')
    .map((part, n) => (n === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('');

/** The script of the header, with what it imports in its place: a second request would delay it. */
const shellScript = (): string =>
  readFileSync(join(UI, 'shell.js'), 'utf8').replace(/^import .*$/m, () =>
    readFileSync(join(UI, 'copy.js'), 'utf8'),
  );

function readOwnFiles(): Map<string, OwnFile> {
  const files = new Map<string, OwnFile>();
  for (const name of readdirSync(STATIC).filter((file) => ['.js', '.svg'].includes(extname(file))))
    files.set(name, hashed(name, readFileSync(join(STATIC, name))));
  files.set('theme.js', hashed('theme.js', readFileSync(join(UI, 'theme.js'))));
  files.set('shell.js', hashed('shell.js', Buffer.from(shellScript())));
  for (const [name, folder] of FONT_FILES) files.set(name, hashed(name, readFileSync(join(folder, name))));
  const own = readdirSync(STATIC).filter((file) => extname(file) === '.css');
  const style = [
    ...FONT_FILES.map(([name, _, weights, range]) => fontFace(files.get(name)?.path ?? '', weights, range)),
    ...UI_STYLES.map((name) => readFileSync(join(UI, name), 'utf8')),
    ...own.sort().map((name) => readFileSync(join(STATIC, name), 'utf8')),
  ].join('');
  files.set('site.css', hashed('site.css', Buffer.from(withoutComments(style))));
  return files;
}

/** The store's own files by name, read once at the start: no request can read another file. */
export const OWN_FILES: ReadonlyMap<string, OwnFile> = readOwnFiles();

/**
 * The path under which one of the store's own files is served.
 * @throws Error when there is no file of this name
 */
export function addressOfOwn(name: string): string {
  const file = OWN_FILES.get(name);
  if (!file) throw new Error(`The store has no file ${name}.`);
  return `/${file.path}`;
}

/** The content of the `svg` element of each icon. */
export const ICONS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(UI, 'icons.json'), 'utf8'),
);
