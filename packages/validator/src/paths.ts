import type { BundleEntries } from '@svc/bundle';
import { show } from './text.ts';

/** Control characters, and bidi controls, which can make a name look like another one. */
const HIDDEN = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Characters that are not allowed in file names on Windows. */
const RESERVED = /[<>:"|?*\\]/;

/** Device names on Windows, with any extension; superscript digits count as digits. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;

/** Longest name of a file or folder on common file systems, in bytes of UTF-8. */
const MAX_SEGMENT = 255;

/** Whether a value is a path of a bundle entry: relative, forward slashes, no empty, `.` or `..` segment. */
export function isBundlePath(value: unknown): value is string {
  if (typeof value !== 'string' || value.includes('\\') || HIDDEN.test(value)) return false;
  return value.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}

/**
 * Normalises a path with backslashes or a leading `./` or `/` to a bundle path. Undefined when the path is already valid, when
 * it is still invalid after that, or when `entries` has no such file.
 */
export function tidyPath(value: unknown, entries?: BundleEntries): string | undefined {
  if (typeof value !== 'string') return undefined;
  const path = value.replaceAll('\\', '/').replace(/^(?:(?:\.\/)+|\/)/, '');
  // A colon makes it a URL or a Windows drive, which is never in a bundle.
  if (path === value || path.includes(':') || !isBundlePath(path)) return undefined;
  return entries === undefined || entries.has(path) ? path : undefined;
}

/** Returns " Did you mean …?" for the end of a message about an invalid path, or an empty string. */
export function didYouMeanPath(value: unknown, entries?: BundleEntries): string {
  const path = tidyPath(value, entries);
  return path === undefined ? '' : ` Did you mean ${show(path)}?`;
}

/** Why unpacking an entry with this name could fail or do harm on some system; undefined when it is safe. */
export function unsafePathReason(name: string): string | undefined {
  if (HIDDEN.test(name)) return 'it contains a control character';
  if (RESERVED.test(name)) return 'it contains one of < > : " | ? * \\';
  if (name.startsWith('/')) return 'it is absolute';
  for (const step of name.split('/')) {
    const reason = unsafeSegmentReason(step);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function unsafeSegmentReason(step: string): string | undefined {
  if (step === '' || step === '.' || step === '..') return 'it has an empty, "." or ".." segment';
  if (step.endsWith('.') || step.endsWith(' ')) return 'a segment ends with a dot or a space';
  const stem = step.split('.', 1)[0] ?? '';
  if (DEVICE.test(stem.trimEnd())) return 'it is a device name on Windows';
  if (isLongerThan(step, MAX_SEGMENT)) return 'a segment is longer than 255 bytes';
  return undefined;
}

/** Whether a text is longer than `bytes` in UTF-8. A code unit needs at most three bytes, so short texts are not encoded. */
function isLongerThan(text: string, bytes: number): boolean {
  return 3 * text.length > bytes && new TextEncoder().encode(text).length > bytes;
}

/** The part of a name after its last dot, in lower case; empty when there is none. */
export function extensionOf(name: string): string {
  const file = name.slice(name.lastIndexOf('/') + 1);
  const dot = file.lastIndexOf('.');
  return dot < 0 ? '' : file.slice(dot + 1).toLowerCase();
}
