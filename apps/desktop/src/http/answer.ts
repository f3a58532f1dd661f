import type { ServerResponse } from 'node:http';
import { RuntimeError } from '@svc/runtime';
import { HttpError } from './exchange.ts';

/** What is said of one installation of one person: nobody keeps it. */
const PRIVATE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** The status for what the runtime refuses: it was understood, and the answer is no. */
const REFUSED = 422;

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes.length };
  response.writeHead(status, { ...PRIVATE, ...headers }).end(bytes);
}

/** Bytes of a stranger as what they are, in a page of their own that can do nothing. */
export function sendBytes(
  response: ServerResponse,
  { type, bytes, name }: { type: string; bytes: Uint8Array; name?: string },
): void {
  response
    .writeHead(200, {
      ...PRIVATE,
      'Content-Type': type,
      'Content-Length': bytes.byteLength,
      // An SVG opened as a page is a document, and may hold a script.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      ...(name !== undefined && {
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)}`,
      }),
    })
    .end(bytes);
}

/**
 * Answers with an error. What was not expected is told as a fault and answered without a word of it.
 * @param onFault told of what is a fault of the program
 */
export function sendError(response: ServerResponse, error: unknown, onFault: (error: unknown) => void): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (error instanceof RuntimeError) {
    sendJson(response, { code: error.code, message: error.message }, REFUSED);
  } else if (error instanceof HttpError) {
    // What was not read of a request that is too large is not waited for.
    response.setHeader('Connection', 'close');
    sendJson(response, { code: error.code, message: error.message }, error.status);
  } else {
    onFault(error);
    sendJson(response, { code: 'internal', message: 'The desktop failed. Its terminal says more.' }, 500);
  }
}
