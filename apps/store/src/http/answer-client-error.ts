import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorCode, type ErrorEnvelope } from '@svc/contracts';

/** What Node's parser refuses before there is a request, as a code of the error table and a sentence. */
const REFUSALS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The address and headers of the request are over 16 KiB: shorten them.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'bundle_too_large',
    'The extensions of the chunks are over 16 KiB: send the body without them.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not whole in time: send it again.'],
};

const MALFORMED: [ErrorCode, string] = [
  'invalid_request',
  'This is not a request of HTTP/1.1 that the store understands.',
];

/** The whole answer to a request that Node's parser refused, in the envelope that every error has. */
function answerTo(errorCode: string | undefined): string {
  const [code, message] = REFUSALS[errorCode ?? ''] ?? MALFORMED;
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message, requestId } satisfies ErrorEnvelope);
  const { status } = ERRORS[code];
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/**
 * Answers what never became a request, and ends its connection.
 * @param isBusy whether an answer is under way on the connection, into which another must not be written
 */
export const answerClientError =
  (isBusy: (socket: Socket) => boolean) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || isBusy(socket)) socket.destroy();
    else socket.end(answerTo(error.code), () => socket.destroySoon());
  };
