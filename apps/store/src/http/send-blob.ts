import type { Context } from 'hono';
import { ApiError } from '../platform/api-error.ts';
import type { ByteRange, StoredBlob } from '../platform/blob-store.ts';
import { matchesEtag, sendCacheable } from './send.ts';

/** A single byte range with a first position, a last position, or both. Surrounding spaces are accepted, though not in the grammar. */
const ONE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/** The bytes that a `Range` selects: all of them, a part, or none that exist. */
type SelectedRange = 'whole' | 'unsatisfiable' | ByteRange;

function fromTo(first: number, last: number, size: number): SelectedRange {
  // A range that ends before it begins is invalid (section 14.1.1), and invalid ranges are ignored.
  if (last < first) return 'whole';
  if (first >= size) return 'unsatisfiable';
  return { offset: first, length: Math.min(last, size - 1) - first + 1 };
}

function lastBytes(count: number, size: number): SelectedRange {
  const length = Math.min(count, size);
  return length === 0 ? 'unsatisfiable' : { offset: size - length, length };
}

/**
 * Reads the header `Range` (RFC 9110 section 14.2). Other units, several ranges and malformed ones are ignored, which the section
 * allows: a client that requests a part also accepts the whole.
 * @param size the number of bytes that exist
 */
export function readRange(header: string | undefined, size: number): SelectedRange {
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return 'whole';
  if (first === '') return lastBytes(Number(last), size);
  return fromTo(Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last), size);
}

/**
 * Whether `If-Range` allows a partial response (RFC 9110 section 13.1.5): only the strong entity tag matches. A date never matches, as
 * responses have no `Last-Modified`.
 */
export const matchesIfRange = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag;

/** Only GET supports a range (RFC 9110 section 14.2). */
const rangeOf = (c: Context, etag: string, size: number): SelectedRange =>
  c.req.raw.method === 'GET' && matchesIfRange(c.req.header('if-range'), etag)
    ? readRange(c.req.header('range'), size)
    : 'whole';

/**
 * Sends stored bytes with 200, the requested part of them with 206, or 304 when the client has them. They are not opened for a 304 or a
 * HEAD.
 * @param headers must include `Content-Type` and `Cache-Control`
 * @throws ApiError range_not_satisfiable for a range after the end
 */
export function sendBlob(
  c: Context,
  blob: StoredBlob,
  headers: Record<string, string> & { ETag: string },
): Response {
  const { size } = blob;
  const selected = rangeOf(c, headers.ETag, size);
  const all = { ...headers, 'Accept-Ranges': 'bytes' };
  // If-None-Match is evaluated before Range (RFC 9110 section 13.2.2).
  if (selected === 'whole' || matchesEtag(c.req.header('if-none-match'), headers.ETag))
    return sendCacheable(c, blob.bytes ?? (() => blob.stream()), { ...all, 'Content-Length': String(size) });
  if (selected === 'unsatisfiable') {
    throw new ApiError('range_not_satisfiable', `The file has ${size} bytes: request a range within them.`, {
      size,
    });
  }
  const { offset, length } = selected;
  return c.body(blob.stream(selected), 206, {
    ...all,
    'Content-Length': String(length),
    'Content-Range': `bytes ${offset}-${offset + length - 1}/${size}`,
  });
}
