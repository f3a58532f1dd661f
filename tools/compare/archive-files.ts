import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** An archive: its corpus (the folder directly below the root), its path, and its bytes. */
export type Archive = { corpus: string; path: string; bytes: Uint8Array };

/** Extensions of zip-based formats. */
const ARCHIVE =
  /\.(?:zip|svc-app|whl|egg|jar|war|ear|apk|xpi|crx|epub|docx|xlsx|odt|ods|cbz|zipx|sfx|exe|z\d\d)$/i;

/** Text encodings of archives, which some projects use to avoid virus scanners. */
const DECODERS: readonly [RegExp, (text: string) => Uint8Array][] = [
  [/\.base64$/i, (text) => Buffer.from(text, 'base64')],
  [/\.uu$/i, uudecode],
];

/** Every archive below a folder, by extension, in the order of their paths. */
export function* archivesIn(root: string): Generator<Archive> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of files) {
    const bytes = archiveBytes(path);
    if (!bytes) continue;
    const shown = relative(root, path);
    yield { corpus: shown.includes(sep) ? (shown.split(sep)[0] ?? '') : '.', path: shown, bytes };
  }
}

function archiveBytes(path: string): Uint8Array | undefined {
  const decoder = DECODERS.find(([ending]) => ending.test(path));
  if (!ARCHIVE.test(decoder ? path.replace(decoder[0], '') : path)) return undefined;
  const content = readFileSync(path);
  return decoder ? decoder[1](content.toString('latin1')) : content;
}

/** POSIX `uuencode`, historical form: a length character, then four characters for every three bytes. */
function uudecode(text: string): Uint8Array {
  const lines = text.split(/\r?\n/);
  const body = lines.slice(lines.findIndex((line) => line.startsWith('begin ')) + 1);
  return Buffer.concat(body.slice(0, body.indexOf('end')).map(uudecodeLine));
}

function uudecodeLine(line: string): Uint8Array {
  const sextets = [...line].map((letter) => (letter.charCodeAt(0) - 32) & 63);
  const length = sextets[0] ?? 0;
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) {
    const at = 1 + Math.floor(index / 3) * 4 + (index % 3);
    const shift = (index % 3) * 2;
    bytes[index] = ((sextets[at] ?? 0) << (2 + shift)) | ((sextets[at + 1] ?? 0) >> (4 - shift));
  }
  return bytes;
}
