import type { Context } from 'hono';

/** Forbids everything to a picture that is opened as a page: an SVG is a document, and may contain a script. */
const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The security headers of an untrusted picture. */
export const pictureHeaders = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': PICTURE_CSP,
});

/** Whether `If-None-Match` matches an entity tag: the client has the response (RFC 9110 section 13.1.2; weak comparison). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // The form that nearly every client sends.
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/** The headers of a 304: those of the response, without the ones that describe a body. */
export function notModified(headers: Record<string, string>): Record<string, string> {
  const {
    'Content-Type': _type,
    'Content-Length': _length,
    'Content-Encoding': _encoding,
    ...remaining
  } = headers;
  return remaining;
}

/** Bytes of a piece, and of a body that is sent whole. */
const PIECE_BYTES = 64 * 1024;

/** Bytes as a stream of pieces that are no copies: a response copies its bytes, once for each client that reads slowly. */
function piecesOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
      if (at >= bytes.byteLength) controller.close();
    },
  });
}

/**
 * Sends cacheable bytes, or 304 when the client has them.
 * @param body the bytes, or a function that opens a stream of them; it is not called for a 304 or a HEAD
 * @param headers must include `Content-Type` and `Cache-Control`
 */
export function sendCacheable(
  c: Context,
  body: Uint8Array | (() => ReadableStream<Uint8Array>),
  headers: Record<string, string> & { ETag: string },
): Response {
  if (matchesEtag(c.req.header('if-none-match'), headers.ETag))
    return c.body(null, 304, notModified(headers));
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, headers);
  if (typeof body === 'function') return c.body(body(), 200, headers);
  if (body.byteLength <= PIECE_BYTES) return c.body(body as Uint8Array<ArrayBuffer>, 200, headers);
  return c.body(piecesOf(body), 200, { ...headers, 'Content-Length': String(body.byteLength) });
}

/** A Cache-Control for responses that any cache may store. */
export const publicFor = (seconds: number): string => `public, max-age=${seconds}`;

/** A year, in seconds: the longest time that caches agree on (RFC 2616 section 14.21). */
const YEAR_SECONDS = 31_536_000;

/** A Cache-Control for what never changes at its address (RFC 8246). */
export const FOR_EVER = `${publicFor(YEAR_SECONDS)}, immutable`;
