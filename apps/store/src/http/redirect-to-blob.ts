import type { Context } from 'hono';
import type { StoredBlob } from '../platform/blob-store.ts';
import { isHeld } from './send.ts';

/** A request header of clients that follow the redirect. Others would miss the headers of the store, or refuse. */
const FOLLOWS = 'X-Svc-Redirect';

/**
 * Redirects a client to stored bytes, at an address that expires. Signing happens here alone, after the store has found that the
 * caller may have them: what is withheld from then on stays open to this caller until the address expires. A part is left to
 * the store: only it can tell whether a download begins, which is counted.
 * @param seconds how long the address is valid; null when the store sends all bytes itself
 * @returns null when the store itself must answer: what is in memory, in no such storage, asked for in part or not changed, and
 *   a client that does not say that it follows
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
  if (isHeld(c.req.header('if-none-match'), headers.ETag)) return null;
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
