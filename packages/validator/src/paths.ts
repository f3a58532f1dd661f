import type { BundleEntries } from '@svc/bundle';

/** Control characters, and those that turn the reading direction so that a name shows as another one. */
const HIDDEN = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Characters that Windows gives a meaning of their own. */
const RESERVED = /[<>:"|?*\\]/;

/** Names that open a device on Windows, whatever extension follows; the superscript digits count as digits there. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;

/** Longest name of one file or folder on common file systems, in bytes of UTF-8. */
const MAX_SEGMENT = 255;

/** Whether a manifest value names a bundle entry: relative, forward slashes, no empty, `.` or `..` step. */
export function isBundlePath(value: unknown): value is string {
  if (typeof value !== 'string' || value.includes('\\') || HIDDEN.test(value)) return false;
  return value.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}

/**
 * The bundle path that a value means when it is written as a path elsewhere is: with a backslash, or with a `./` or `/`
 * ahead. Undefined when it is good as it is, when more than that is wrong, or when `entries` has no such file.
 */
export function tidyPath(value: unknown, entries?: BundleEntries): string | undefined {
  if (typeof value !== 'string') return undefined;
  const path = value.replaceAll('\\', '/').replace(/^(?:(?:\.\/)+|\/)/, '');
  // A colon makes an address or a drive of Windows of it, which no bundle holds.
  if (path === value || path.includes(':') || !isBundlePath(path)) return undefined;
  return entries === undefined || entries.has(path) ? path : undefined;
}

/** Why unpacking an entry of this name could go wrong on some machine, or undefined when it could not. */
export function unsafePathReason(name: string): string | undefined {
  if (HIDDEN.test(name)) return 'it holds a control character';
  if (RESERVED.test(name)) return 'it holds one of < > : " | ? * \\';
  if (name.startsWith('/')) return 'it is absolute';
  for (const step of name.split('/')) {
    const why = whyUnsafeStep(step);
    if (why !== undefined) return why;
  }
  return undefined;
}

function whyUnsafeStep(step: string): string | undefined {
  if (step === '' || step === '.' || step === '..') return 'it has an empty, "." or ".." step';
  if (step.endsWith('.') || step.endsWith(' ')) return 'a step ends in a dot or a space';
  const stem = step.split('.', 1)[0] ?? '';
  if (DEVICE.test(stem.trimEnd())) return 'Windows reserves that name for a device';
  if (isLongerThan(step, MAX_SEGMENT)) return 'a step is longer than 255 bytes';
  return undefined;
}

/** Whether a text has more bytes in UTF-8. Three a unit are the most it can have, so short ones need not be written. */
function isLongerThan(text: string, bytes: number): boolean {
  return 3 * text.length > bytes && new TextEncoder().encode(text).length > bytes;
}

/** The part of a name after its last dot, in lower case; empty when there is none. */
export function extensionOf(name: string): string {
  const file = name.slice(name.lastIndexOf('/') + 1);
  const dot = file.lastIndexOf('.');
  return dot < 0 ? '' : file.slice(dot + 1).toLowerCase();
}
