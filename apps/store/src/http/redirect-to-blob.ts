import type { Context } from 'hono';
import type { StoredBlob } from '../platform/blob-store.ts';
import { matchesEtag } from './send.ts';

/** A request header of clients that support the redirect. Other clients would miss the headers of the store, or refuse. */
const FOLLOWS = 'X-Svc-Redirect';

/**
 * Redirects a client to a presigned URL of stored bytes. The caller must have checked access first. A version that is yanked after that
 * can still be downloaded by this client until the URL expires. Range requests are answered by the store, which counts downloads by
 * their first part.
 * @param seconds how long the URL is valid; null when the store sends all bytes itself
 * @returns null when the store must answer: bytes in memory or in another storage, range requests, unchanged bytes, and clients without
 *   the request header
 */
export async function redirectToBlob(
  c: Context,
  { address, bytes }: StoredBlob,
  headers: Record<string, string> & { ETag: string },
  seconds: number | null,
): Promise<Response | null> {
  if (seconds === null || address === undefined || bytes !== undefined) return null;
  if (c.req.header(FOLLOWS) !== '1') return null;
  if (c.req.raw.method !== 'GET' || c.req.header('range') !== undefined) return null;
  if (matchesEtag(c.req.header('if-none-match'), headers.ETag)) return null;
  const { 'Content-Type': mediaType = '', 'Content-Disposition': disposition = '', ...rest } = headers;
  const location = await address(seconds, { mediaType, disposition });
  return c.body(null, 307, {
    ...rest,
    'Accept-Ranges': 'bytes',
    Location: location,
    'Cache-Control': 'private, no-store',
    'Referrer-Policy': 'no-referrer',
  });
}
