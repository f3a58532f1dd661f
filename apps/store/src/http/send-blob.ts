import type { Context } from 'hono';
import { ApiError } from '../platform/api-error.ts';
import type { StoredBlob } from '../platform/blob-store.ts';
import { isOfSame, readRange, type Wanted } from './range.ts';
import { isHeld, sendCacheable } from './send.ts';

/** A range is defined for GET alone (RFC 9110 section 14.2). */
const wantedOf = (c: Context, etag: string, size: number): Wanted =>
  c.req.raw.method === 'GET' && isOfSame(c.req.header('if-range'), etag)
    ? readRange(c.req.header('range'), size)
    : 'whole';

/**
 * Answers with stored bytes, or with the part of them that is asked for: 206, 304 when the client has them. They are not
 * opened for a 304 or a HEAD.
 * @param headers must hold `Content-Type` and `Cache-Control`
 * @throws ApiError range_not_satisfiable for a part that lies behind the end
 */
export function sendBlob(
  c: Context,
  blob: StoredBlob,
  headers: Record<string, string> & { ETag: string },
): Response {
  const { size } = blob;
  const wanted = wantedOf(c, headers.ETag, size);
  const all = { ...headers, 'Accept-Ranges': 'bytes' };
  // A client that has them all is told so, whatever part it asks for (RFC 9110 section 13.2.2).
  if (wanted === 'whole' || isHeld(c.req.header('if-none-match'), headers.ETag))
    return sendCacheable(c, blob.bytes ?? (() => blob.stream()), { ...all, 'Content-Length': String(size) });
  if (wanted === 'nothing') {
    throw new ApiError('range_not_satisfiable', `There are ${size} bytes: ask for some of those.`, { size });
  }
  const { offset, length } = wanted;
  return c.body(blob.stream(wanted), 206, {
    ...all,
    'Content-Length': String(length),
    'Content-Range': `bytes ${offset}-${offset + length - 1}/${size}`,
  });
}
