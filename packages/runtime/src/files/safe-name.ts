import { replaceHidden } from '@svc/text';
import { endingOf, endingsOf } from './type-names.ts';

/** Longest name that every file system takes, with room for a number, in bytes of UTF-8. */
const MAX_BYTES = 200;

/** Longest name that is looked at, and how much of its end is kept then, in UTF-16 code units: an app's server chooses it. */
const MAX_LENGTH = 1_024;
const ENDING_LENGTH = 64;

/** Names of devices in Windows, whatever comes behind a dot. */
const DEVICES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** What no file name may hold on one system or another. */
const UNSAFE = /[/\\:*?"<>|]/g;

/** The last part of a path. Of one that is too long, the start and the end with its extension. */
function lastPart(given: string): string {
  const last = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  return last.length <= MAX_LENGTH
    ? last
    : last.slice(0, MAX_LENGTH - ENDING_LENGTH) + last.slice(-ENDING_LENGTH);
}

function cut(text: string, mostBytes: number): string {
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) break;
    kept += character;
  }
  return kept;
}

/**
 * A file name that means the same on every system and leads nowhere: the last part of what was given, without what separates
 * folders, names a device or a stream, hides the file, or is not seen.
 */
export function safeName(given: string): string {
  // Bounded first: normalising takes time in the square of the combining marks behind each other.
  const last = lastPart(given).toWellFormed().normalize('NFC');
  const plain = replaceHidden(last.replace(UNSAFE, '_'), '_')
    .replace(/^[.\s]+/, '')
    .replace(/(?<![.\s])[.\s]+$/, '');
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]{1,20})?$/u.exec(plain) ?? [];
  const short = cut(stem, MAX_BYTES - Buffer.byteLength(extension)) || 'file';
  const [beforeDot = ''] = short.split('.');
  return `${DEVICES.test(beforeDot.trim()) ? `_${short}` : short}${extension}`;
}

/** The ending that is written where a type has several. */
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

/** A name whose ending says what the file is, where that is known and the ending says otherwise. */
export function nameFor(name: string, type: string): string {
  const extension = EXTENSIONS[type] ?? endingsOf(type)[0];
  if (extension === undefined || endingsOf(type).includes(endingOf(name))) return safeName(name);
  return `${safeName(name).replace(/\.[a-z0-9]{1,5}$/i, '')}.${extension}`;
}
