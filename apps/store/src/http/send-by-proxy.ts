import type { Context } from 'hono';
import type { StoredBlob } from '../platform/blob-store.ts';
import { isHeld } from './send.ts';

/**
 * Has the proxy before the store send stored bytes, which it does by the kernel and in the parts that are asked for. It is told where
 * they are only here, after it was found that the caller may have them; the path holds nothing but the prefix of the operator and a
 * hash. A part is left to the store: only it can tell whether a download begins, which is counted.
 * @param prefix where the proxy has the folder of the storage; null when there is none
 * @returns null when the store itself must answer: what is in memory, or on no disk, or asked for in part, or not wanted again
 */
export function sendByProxy(
  c: Context,
  { place, bytes }: StoredBlob,
  headers: Record<string, string> & { ETag: string },
  prefix: string | null,
): Response | null {
  if (prefix === null || place === undefined || bytes !== undefined) return null;
  if (c.req.raw.method !== 'GET' || c.req.header('range') !== undefined) return null;
  if (isHeld(c.req.header('if-none-match'), headers.ETag)) return null;
  return c.body(null, 200, { ...headers, 'Accept-Ranges': 'bytes', 'X-Accel-Redirect': prefix + place });
}
