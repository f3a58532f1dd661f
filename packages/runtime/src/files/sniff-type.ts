import { isUtf8 } from 'node:buffer';

/** Types that bytes at the beginning tell. `??` in a pattern stands for any byte. */
const MAGIC: readonly (readonly [type: string, pattern: string])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '474946383761'],
  ['image/gif', '474946383961'],
  ['image/webp', '52494646????????57454250'],
  ['image/tiff', '49492a00'],
  ['image/tiff', '4d4d002a'],
  ['image/bmp', '424d????????00000000'],
  ['image/x-icon', '00000100'],
  ['audio/wav', '52494646????????57415645'],
  ['audio/flac', '664c6143'],
  ['audio/mpeg', '494433'],
  ['audio/ogg', '4f676753'],
  ['video/webm', '1a45dfa3'],
  ['application/pdf', '255044462d'],
  ['application/gzip', '1f8b08'],
  ['application/x-7z-compressed', '377abcaf271c'],
  ['application/vnd.rar', '526172211a07'],
  ['application/zip', '504b0304'],
  ['application/vnd.sqlite3', '53514c69746520666f726d6174203300'],
];

/** Brands of ISO base media files (ISO/IEC 14496-12 section 4.3), by how they begin. */
const BRANDS: readonly (readonly [brand: string, type: string])[] = [
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
  ['hei', 'image/heic'],
  ['mif1', 'image/heif'],
  ['M4A', 'audio/mp4'],
  ['M4B', 'audio/mp4'],
  ['qt', 'video/quicktime'],
  ['', 'video/mp4'],
];

/** Zips that are something else when a certain entry is in them, as their format asks for. */
const ZIPPED: readonly (readonly [extension: string, entry: string, type: string])[] = [
  ['docx', 'word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['epub', 'mimetypeapplication/epub+zip', 'application/epub+zip'],
];

/** What a text is taken for by its name: all of these are texts, whichever it is. */
const TEXTS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  md: 'text/markdown',
  markdown: 'text/markdown',
  css: 'text/css',
  js: 'text/javascript',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  ics: 'text/calendar',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
};

const UNKNOWN = 'application/octet-stream';

function begins(head: Buffer, pattern: string): boolean {
  const pairs = pattern.match(/../g) ?? [];
  return pairs.every((pair, index) => pair === '??' || head[index] === Number.parseInt(pair, 16));
}

const extensionOf = (name: string): string => /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

function zipped(buffer: Buffer, name: string): string {
  const known = ZIPPED.find(([extension]) => extension === extensionOf(name));
  return known && buffer.includes(known[1]) ? known[2] : 'application/zip';
}

/** Ogg says in its first packet what it carries. */
const oggOf = (buffer: Buffer): string =>
  buffer.subarray(0, 128).includes('theora') ? 'video/ogg' : 'audio/ogg';

/** MPEG audio without a tag: eleven bits set, then a version and a layer that exist (ISO/IEC 11172-3 section 2.4.1.3). */
const isMpegFrame = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  first === 0xff &&
  (second & 0xe0) === 0xe0 &&
  (second & 0x18) !== 0x08 &&
  (second & 0x06) === 0x02 &&
  (third & 0xf0) !== 0xf0;

function binaryType(buffer: Buffer, name: string): string | null {
  const head = buffer.subarray(0, 64);
  if (head.toString('latin1', 4, 8) === 'ftyp') {
    const brand = head.toString('latin1', 8, 12);
    return BRANDS.find(([begin]) => brand.startsWith(begin))?.[1] ?? 'video/mp4';
  }
  const type = MAGIC.find(([, pattern]) => begins(head, pattern))?.[0] ?? null;
  if (type === 'application/zip') return zipped(buffer, name);
  if (type === 'audio/ogg') return oggOf(buffer);
  if (type === null && isMpegFrame(head)) return 'audio/mpeg';
  return type;
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

function textType(text: string, name: string): string {
  const start = text
    .slice(0, 1_024)
    .toLowerCase()
    .replace(/<!--[\s\S]*?(?:-->|$)|<\?xml[^<>]*>|<!doctype svg[^<>]*>|\ufeff/g, '')
    .trimStart();
  if (/^<svg[\s>]/.test(start)) return 'image/svg+xml';
  if (/^<(!doctype )?html[\s>]/.test(start)) return 'text/html';
  const extension = extensionOf(name);
  if (extension === 'json') return isJson(text) ? 'application/json' : 'text/plain';
  return TEXTS[extension] ?? 'text/plain';
}

/**
 * The media type of a file by what is in it. The name only tells one kind of text from another, or one kind of zip, and never
 * makes anything else of a file.
 */
export function sniffType(bytes: Uint8Array, name: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const binary = binaryType(buffer, name);
  if (binary !== null) return binary;
  if (buffer.length === 0 || !isUtf8(buffer) || buffer.includes(0)) return UNKNOWN;
  return textType(buffer.toString('utf8'), name);
}
