import type { Context } from 'hono';

/** Whether a client holds this very answer already (RFC 9110 section 13.1.2; weak comparison). */
export function isHeld(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // What nearly every client sends.
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/** The headers of a 304: those of the answer, without what describes a body. */
export function notModified(headers: Record<string, string>): Record<string, string> {
  const {
    'Content-Type': _type,
    'Content-Length': _length,
    'Content-Encoding': _encoding,
    ...kept
  } = headers;
  return kept;
}

/**
 * Answers with bytes that may be kept: 304 when the client has them.
 * @param body the bytes, or what opens a stream of them; it is not opened for a 304 or a HEAD
 * @param headers must hold `Content-Type` and `Cache-Control`
 */
export function sendCacheable(
  c: Context,
  body: Uint8Array | (() => ReadableStream<Uint8Array>),
  headers: Record<string, string> & { ETag: string },
): Response {
  if (isHeld(c.req.header('if-none-match'), headers.ETag)) return c.body(null, 304, notModified(headers));
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, headers);
  return c.body(typeof body === 'function' ? body() : (body as Uint8Array<ArrayBuffer>), 200, headers);
}

/** How long an answer may be kept by anybody. */
export const publicFor = (seconds: number): string => `public, max-age=${seconds}`;
