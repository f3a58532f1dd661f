import { replaceHidden } from '@svc/text';
import { endingOf, endingsOf } from './type-names.ts';

/** Maximum length of a name in bytes of UTF-8, valid on every file system, with room for a number. */
const MAX_BYTES = 200;

/** Maximum length of a processed name and of the end that is kept of a longer one, in UTF-16 code units. An app's server chooses it. */
const MAX_LENGTH = 1_024;
const ENDING_LENGTH = 64;

/** Device names of Windows, with any extension. */
const DEVICES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** Characters that are not allowed in file names on some system. */
const UNSAFE = /[/\\:*?"<>|]/g;

/** The last segment of a path. A segment that is too long is shortened in the middle, to keep its extension. */
function lastPart(given: string): string {
  const last = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  return last.length <= MAX_LENGTH
    ? last
    : last.slice(0, MAX_LENGTH - ENDING_LENGTH) + last.slice(-ENDING_LENGTH);
}

function cut(text: string, maxBytes: number): string {
  let result = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    result += character;
  }
  return result;
}

/**
 * Returns a file name that is valid on every system and is never a path: the last segment, without separators, device names, streams,
 * leading dots and invisible characters.
 */
export function safeName(given: string): string {
  // Shortened first: normalization takes quadratic time for consecutive combining marks.
  const last = lastPart(given).toWellFormed().normalize('NFC');
  const plain = replaceHidden(last.replace(UNSAFE, '_'), '_')
    .replace(/^[.\s]+/, '')
    .replace(/(?<![.\s])[.\s]+$/, '');
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]{1,20})?$/u.exec(plain) ?? [];
  const short = cut(stem, MAX_BYTES - Buffer.byteLength(extension)) || 'file';
  const [beforeDot = ''] = short.split('.');
  return `${DEVICES.test(beforeDot.trim()) ? `_${short}` : short}${extension}`;
}

/** The extension to use for types with several. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
};

/** Returns the name with the extension of the type, where that is known and the extension differs. */
export function nameFor(name: string, type: string): string {
  const extension = EXTENSIONS[type] ?? endingsOf(type)[0];
  if (extension === undefined || endingsOf(type).includes(endingOf(name))) return safeName(name);
  return `${safeName(name).replace(/\.[a-z0-9]{1,5}$/i, '')}.${extension}`;
}
