import { writeFileSync } from 'node:fs';
import { packBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import { buildZip, bytesOf, png, pngChunk, sampleFiles, sampleManifest } from '@svc/testkit';

const MiB = 2 ** 20;
/** Reserve for headers and the files of the sample app, so that a zip stays within its limit. */
const ROOM = 64 * 1024;
const LARGEST = LIMITS.bundle.bytes - ROOM;
const MAX_INFLATED = LIMITS.bundle.inflatedBytes - ROOM;

/** Bytes that do not compress, the same on every run (xorshift32). */
function noise(length: number): Uint8Array {
  let state = 0x9e3779b9;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

/** A repeated text, up to a size in bytes. */
const filled = (text: string, size: number): string => text.repeat(Math.floor(size / text.length));

/** Numbered lines up to a size in bytes, so that the file does not compress like a zip bomb. */
function numbered(size: number, line: (n: string) => string): string {
  const length = line('aaaaa').length;
  const count = Math.floor(size / length);
  return Array.from({ length: count }, (_, n) =>
    line(((n * 7919) % count).toString(36).padStart(5, 'a')),
  ).join('');
}

const text = (size: number): string => numbered(size, (n) => `some words ${n} and more of them.\n`);
const script = (size: number): string =>
  numbered(
    size,
    (n) => `export const t${n} = (items) => items.reduce((sum, item) => sum + item.price, 0); // adds\n`,
  );
/** Obfuscated script with unique words: it compresses badly, and all of it looks suspicious. */
export function disguised(size: number): string {
  const hex = Buffer.from(noise(Math.ceil(size / 3.6))).toString('hex');
  const lines: string[] = [];
  for (let at = 0; at + 20 <= hex.length; at += 20) {
    const [name, member, index] = [
      hex.slice(at, at + 8),
      hex.slice(at + 8, at + 16),
      hex.slice(at + 16, at + 20),
    ];
    lines.push(`_0x${name}['a${member}'](0x${index});\n`);
  }
  return lines.join('').slice(0, size);
}

/** Maximum size of a manifest that is read. */
const MANIFEST_BYTES = MiB - 100;

type Files = Record<string, Uint8Array | string | null>;

/** The sample app with additional files, compressed by a plain zip writer, which is fast. */
function bundleOf(files: Files, method: 0 | 8 = 8): Uint8Array {
  const entries = [...sampleFiles(sampleManifest(), files)];
  return buildZip({ entries: entries.map(([name, content]) => ({ name, content, method })) });
}

const many = (count: number, path: (n: number) => string, content: string): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [path(n), content]));

const MAX_FILES = LIMITS.bundle.entries - 5;
const share = Math.floor(MAX_INFLATED / MAX_FILES);

const svg = (body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${body}</svg>`;

/** A PNG of empty chunks between its first and its last. */
function chunks(size: number): Uint8Array {
  const empty = pngChunk('tEXt');
  const run = Buffer.alloc(size - (size % empty.length), empty);
  return bytesOf(png(512).slice(0, 33), run, pngChunk('IEND'));
}

/** Bundles that fill one limit each with the most expensive content, by name. */
export const HOSTILE_BUNDLES: Record<string, () => Uint8Array> = {
  'the sample app': () => packBundle(sampleFiles()),
  '25 MiB of stored noise': () => bundleOf({ 'assets/noise.bin': noise(LARGEST) }, 0),
  '64 MiB of text in one file': () => bundleOf({ 'ui/a.txt': text(MAX_INFLATED) }),
  '64 MiB of text in 2,000 files': () => bundleOf(many(MAX_FILES, (n) => `ui/${n}.txt`, text(share))),
  '2,000 names of 1,000 bytes in 60 folders': () =>
    bundleOf(many(MAX_FILES, (n) => `ui/${n}/${'folder-of-names/'.repeat(58)}${'é'.repeat(20)}`, 'x')),
  'plugin.json of 25 MiB': () => bundleOf({ 'plugin.json': `[${filled('1,', LARGEST)}1]` }, 0),
  'plugin.json of 1 MiB, empty lists': () =>
    bundleOf({ 'plugin.json': `[${filled('[],', MANIFEST_BYTES)}1]` }, 0),
  'plugin.json of 1 MiB, keys': () =>
    bundleOf({
      'plugin.json': JSON.stringify(
        Object.fromEntries(
          Array.from({ length: MANIFEST_BYTES / 11 }, (_, n) => [n.toString(36).padStart(6), 1]),
        ),
      ),
    }),
  'plugin.json of 1 MiB, tools': () =>
    bundleOf({ 'plugin.json': `{"contributes":{"tools":[${filled('{"id":1},', MANIFEST_BYTES)}{}]}}` }, 0),
  'an SVG of 1 MiB, elements': () => bundleOf({ 'assets/mark.svg': svg(filled('<g/>', MiB - 100)) }),
  'an SVG of 1 MiB, open elements': () => bundleOf({ 'assets/mark.svg': svg(filled('<g>', MiB - 100)) }),
  'an SVG of 1 MiB, attributes': () =>
    bundleOf({
      'assets/mark.svg': svg(
        `<g ${Array.from({ length: MiB / 10 - 20 }, (_, n) => `${n.toString(36).padStart(4, 'a')}=""`).join(' ')}/>`,
      ),
    }),
  'an SVG of 1 MiB, style': () =>
    bundleOf({ 'assets/mark.svg': svg(`<style>${filled('a{b:c}', MiB - 200)}</style>`) }),
  '64 MiB of script in one file': () => bundleOf({ 'ui/a.js': script(MAX_INFLATED) }),
  '25 MiB of script in one line': () => bundleOf({ 'ui/a.js': numbered(LARGEST, (n) => `${n}+=b(c[1]);`) }),
  '25 MiB of script, one name': () => bundleOf({ 'ui/a.js': filled('abcdefghij', LARGEST) }, 0),
  '25 MiB of script, brackets': () => bundleOf({ 'ui/a.js': filled('[', LARGEST) }, 0),
  '25 MiB of script, noise': () => bundleOf({ 'ui/a.js': noise(LARGEST) }, 0),
  '64 MiB of script in 2,000 files': () => bundleOf(many(MAX_FILES, (n) => `ui/${n}.js`, script(share))),
  '60 MiB of obfuscated script in one file': () => bundleOf({ 'ui/a.js': disguised(60 * MiB) }),
  '60 MiB of obfuscated script in 2,000 files': () =>
    bundleOf(many(MAX_FILES, (n) => `ui/${n}.js`, disguised(Math.floor((60 * MiB) / MAX_FILES)))),
  '64 MiB of page with script': () =>
    bundleOf({
      'ui/index.html': numbered(MAX_INFLATED, (n) => `<script>let ${n} = 1;</script><p onclick="a()">`),
    }),
  '64 MiB of style': () => bundleOf({ 'ui/a.css': numbered(MAX_INFLATED, (n) => `.${n}{color:red}\n`) }),
  'a PNG of 25 MiB, empty chunks': () => bundleOf({ 'assets/icon.png': chunks(LARGEST) }, 0),
  'a PNG of 1 MiB, empty chunks': () => bundleOf({ 'assets/icon.png': chunks(MiB - 200) }, 0),
};

// Run as a program, writes one of the bundles: a process passes its peak memory on to its children, so the measuring process must not
// build them.
if (import.meta.main) {
  const [name = '', file = ''] = process.argv.slice(2);
  const make = HOSTILE_BUNDLES[name];
  if (!make) throw new RangeError(`Unknown hostile bundle: ${name}.`);
  writeFileSync(file, make());
}
