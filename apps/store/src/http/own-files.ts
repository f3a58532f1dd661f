import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, parse } from 'node:path';
import { partFolder } from '../platform/own-package.ts';

/** A file that the store serves under a name that changes with its content, as browsers keep it for a year. */
type OwnFile = { path: string; body: Uint8Array };

const STATIC = partFolder('static');
const UI = partFolder('ui');
const FONTS = join(
  dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json')),
  'files',
);

/** Letters of each font file (Unicode ranges of fontsource); in other scripts the system's font shows them. */
const FONT_RANGES: Readonly<Record<string, string>> = {
  'inter-latin-ext-wght-normal.woff2':
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  'inter-latin-wght-normal.woff2':
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
};

/** The parts of the one style sheet of all pages, in the order in which they are read. */
const UI_STYLES = ['tokens.css', 'base.css', 'components.css', 'parts.css', 'shell.css'];

const HASH_LENGTH = 12;

function hashed(name: string, body: Uint8Array): OwnFile {
  const parts = parse(name);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  return { path: `assets/${parts.name}-${hash}${parts.ext}`, body };
}

// "optional": what is read never moves. The first page is in the system's font and fetches this one for the next (shell.js).
const fontFace = (address: string, range: string): string =>
  `@font-face{font-family:"Inter Variable";font-weight:100 900;font-display:optional;src:url("/${address}") format("woff2");unicode-range:${range}}\n`;

function readOwnFiles(): Map<string, OwnFile> {
  const files = new Map<string, OwnFile>();
  for (const name of readdirSync(STATIC).filter((file) => ['.js', '.svg'].includes(extname(file))))
    files.set(name, hashed(name, readFileSync(join(STATIC, name))));
  for (const name of ['theme.js', 'shell.js']) files.set(name, hashed(name, readFileSync(join(UI, name))));
  for (const name of Object.keys(FONT_RANGES)) files.set(name, hashed(name, readFileSync(join(FONTS, name))));
  const own = readdirSync(STATIC).filter((file) => extname(file) === '.css');
  const style = [
    ...Object.entries(FONT_RANGES).map(([name, range]) => fontFace(files.get(name)?.path ?? '', range)),
    ...UI_STYLES.map((name) => readFileSync(join(UI, name), 'utf8')),
    ...own.sort().map((name) => readFileSync(join(STATIC, name), 'utf8')),
  ].join('');
  files.set('site.css', hashed('site.css', Buffer.from(style)));
  return files;
}

/** The store's own files by their plain names, read once at the start: no request can name another. */
export const OWN_FILES: ReadonlyMap<string, OwnFile> = readOwnFiles();

/**
 * Where one of them is served.
 * @throws when there is none of this name
 */
export function addressOfOwn(name: string): string {
  const file = OWN_FILES.get(name);
  if (!file) throw new Error(`The store has no file ${name}.`);
  return `/${file.path}`;
}

/** What stands inside the `svg` of each icon. */
export const ICONS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(UI, 'icons.json'), 'utf8'),
);
