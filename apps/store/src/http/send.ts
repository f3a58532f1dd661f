import type { Context } from 'hono';
import type { Env } from './context.ts';

/** Whether the client holds this very answer already (RFC 9110 section 13.1.2; weak comparison). */
function isHeld(c: Context<Env>, etag: string): boolean {
  const held = c.req.header('if-none-match');
  if (held === undefined) return false;
  return held.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/**
 * Answers with bytes that may be kept: 304 when the client has them.
 * @param headers must hold `Content-Type` and `Cache-Control`
 */
export function sendCacheable(
  c: Context<Env>,
  body: Uint8Array | ReadableStream<Uint8Array>,
  headers: Record<string, string> & { ETag: string },
): Response {
  if (!isHeld(c, headers.ETag)) return c.body(body as Uint8Array<ArrayBuffer>, 200, headers);
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
  const { 'Content-Type': _type, 'Content-Length': _length, ...kept } = headers;
  return c.body(null, 304, kept);
}

/** How long an answer may be kept by anybody. */
export const publicFor = (seconds: number): string => `public, max-age=${seconds}`;
