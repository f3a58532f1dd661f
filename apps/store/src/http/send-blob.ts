import type { Context } from 'hono';
import { ApiError } from '../platform/api-error.ts';
import type { StoredBlob } from '../platform/blob-store.ts';
import { matchesIfRange, readRange, type SelectedRange } from './range.ts';
import { matchesEtag, sendCacheable } from './send.ts';

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
