import type { ServerResponse } from 'node:http';
import { asRefusal, type RefusalCode, type RuntimeError } from '@svc/runtime';
import { HttpError } from './exchange.ts';

/** Responses are about one user's installation and must not be cached. */
const PRIVATE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** The status of requests that the runtime refuses. */
const REFUSED = 422;

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes.length };
  response.writeHead(status, { ...PRIVATE, ...headers }).end(bytes);
}

/** Sends untrusted bytes with a policy that disables scripts. */
export function sendBytes(
  response: ServerResponse,
  { type, bytes, name }: { type: string; bytes: Uint8Array; name?: string },
): void {
  response
    .writeHead(200, {
      ...PRIVATE,
      'Content-Type': type,
      'Content-Length': bytes.byteLength,
      // An SVG opened directly is a document, which may contain scripts.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      ...(name !== undefined && {
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`,
      }),
    })
    .end(bytes);
}

/** Refusals whose message is about the user, for an agent, as the user reads them. */
const TO_USER: Readonly<Partial<Record<RefusalCode, string>>> = {
  declined: 'You declined.',
  'consent-needed': 'You have not agreed to the permissions of the app.',
};

/** The message of a refusal for the user. */
export const messageToUser = ({ code, message }: Pick<RuntimeError, 'code' | 'message'>): string =>
  message.startsWith('The user ') ? (TO_USER[code] ?? message) : message;

/**
 * Sends an error. Unexpected errors are reported, and their details are not sent.
 * @param onFault receives unexpected errors
 */
export function sendError(response: ServerResponse, error: unknown, onFault: (error: unknown) => void): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const refusal = asRefusal(error);
  if (refusal) {
    sendJson(response, { code: refusal.code, message: messageToUser(refusal) }, REFUSED);
  } else if (error instanceof HttpError) {
    // Closes the connection, because the rest of a request that is too large is not read.
    response.setHeader('Connection', 'close');
    sendJson(response, { code: error.code, message: error.message }, error.status);
  } else {
    onFault(error);
    sendJson(
      response,
      { code: 'internal', message: 'svc desktop failed. See its log in the terminal.' },
      500,
    );
  }
}
