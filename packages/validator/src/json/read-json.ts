import { LIMITS } from '@svc/contracts/vocabulary';
import { JsonError, JsonParser } from './json-parser.ts';

/**
 * Largest manifest in bytes. The largest useful one is ten times smaller; a malicious one of this size takes 0.1 s
 * and about 80 MB to check.
 */
export const MAX_MANIFEST_BYTES = 1024 * 1024;

/** A position in a text, from 1; columns and lengths in UTF-16 code units, as editors count them. */
export type Location = { readonly line: number; readonly column: number; readonly length?: number };

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  /** `at` is where parsing stopped; undefined when the bytes were not parsed. */
  | { readonly ok: false; readonly problem: string; readonly at?: Location };

/**
 * Parses JSON that every parser reads the same way (RFC 8259 with the restrictions of RFC 7493): UTF-8 without a byte order
 * mark, no duplicate keys, no lone surrogates, no number beyond the range of a double, and no nesting
 * deeper than `LIMITS.manifest.jsonDepth`. Two parsers could read other JSON differently, and one of the readings
 * could contain other permissions.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  if (bytes.length > MAX_MANIFEST_BYTES) {
    return {
      ok: false,
      problem: `it has ${bytes.length} bytes; a manifest may have at most ${MAX_MANIFEST_BYTES}`,
    };
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    return stopped(firstInvalid(bytes), 'these bytes are not UTF-8; save the file as UTF-8');
  }
  if (text.startsWith('\ufeff')) {
    const at = { line: 1, column: 1 };
    return { ok: false, problem: 'it begins with a byte order mark; save it as UTF-8 without one', at };
  }
  try {
    return { ok: true, value: new JsonParser(text, LIMITS.manifest.jsonDepth).document(), text };
  } catch (fault) {
    if (!(fault instanceof JsonError)) throw fault;
    return stopped(positionOf(text, fault.offset), fault.problem);
  }
}

/**
 * Finds the value at a JSON Pointer in `text`, a document that `readJson` accepted. For a missing value, returns the
 * opening bracket of the nearest surrounding value. Undefined for an invalid JSON Pointer.
 */
export function locateIn(text: string, pointer: string): Location | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  const steps = pointer.split('/').slice(1).map(unescapeStep);
  const parser = new JsonParser(text, LIMITS.manifest.jsonDepth, steps);
  parser.document();
  const { start, end, matched } = parser.nearest;
  return { ...positionOf(text, start), length: matched === steps.length ? end - start : 1 };
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Decodes text in the only allowed encoding: in another one, a program would read another document. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Finds the first invalid byte by binary search: every prefix of the file that contains it is invalid. */
function firstInvalid(bytes: Uint8Array): Location {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8Beginning(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, valid), {
    stream: true,
  });
  return positionOf(before, before.length);
}

/** `stream` allows a character that is cut off at the end. */
function isUtf8Beginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function positionOf(text: string, offset: number): Location {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

function stopped(at: Location, problem: string): JsonReading {
  return { ok: false, problem: `line ${at.line}, column ${at.column}: ${problem}`, at };
}
