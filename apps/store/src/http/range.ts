import type { ByteRange } from '../platform/blob-store.ts';

/** One range of bytes: from, to; or one of both. Spaces around the unit's parts are none of the grammar. */
const ONE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/** What a `Range` comes to: all of the bytes, a part of them, or nothing that there is. */
export type Wanted = 'whole' | 'nothing' | ByteRange;

function fromTo(first: number, last: number, size: number): Wanted {
  // What ends before it begins is no range (section 14.1.1), and is ignored like anything else that is none.
  if (last < first) return 'whole';
  if (first >= size) return 'nothing';
  return { offset: first, length: Math.min(last, size - 1) - first + 1 };
}

function lastBytes(count: number, size: number): Wanted {
  const length = Math.min(count, size);
  return length === 0 ? 'nothing' : { offset: size - length, length };
}

/**
 * Reads the header `Range` (RFC 9110 section 14.2). Other units, several ranges and what is malformed are ignored, which
 * the section allows: clients that want a part take all of it as well.
 * @param size bytes there are
 */
export function readRange(header: string | undefined, size: number): Wanted {
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return 'whole';
  if (first === '') return lastBytes(Number(last), size);
  return fromTo(Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last), size);
}

/**
 * Whether the part is of what the client has the rest of (RFC 9110 section 13.1.5): only the strong tag says so. Nothing here
 * has a date of change, so that a date never does.
 */
export const isOfSame = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag;
