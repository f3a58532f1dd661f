import type { Context } from 'hono';
import type { StoredBlob } from '../platform/blob-store.ts';
import { matchesEtag } from './send.ts';

/**
 * Makes the proxy in front of the store send stored bytes, which it does efficiently with `sendfile`. The caller must have checked access
 * first. The path consists of the prefix of the operator and a hash. Range requests are answered by the store, which counts downloads by
 * their first part.
 * @param prefix the internal location of the bundle folder in the proxy; null when there is none
 * @returns null when the store must answer: bytes in memory or not on disk, range requests, and unchanged bytes
 */
export function sendByProxy(
  c: Context,
  { place, bytes }: StoredBlob,
  headers: Record<string, string> & { ETag: string },
  prefix: string | null,
): Response | null {
  if (prefix === null || place === undefined || bytes !== undefined) return null;
  if (c.req.raw.method !== 'GET' || c.req.header('range') !== undefined) return null;
  if (matchesEtag(c.req.header('if-none-match'), headers.ETag)) return null;
  return c.body(null, 200, { ...headers, 'Accept-Ranges': 'bytes', 'X-Accel-Redirect': prefix + place });
}
