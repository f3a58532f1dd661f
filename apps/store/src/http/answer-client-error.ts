import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorCode, type ErrorEnvelope } from '@svc/contracts';

/** The refusal for each error of Node's HTTP parser, as a code of the error table and a message. */
const REFUSALS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The address and headers of the request are over 16 KiB: shorten them.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'bundle_too_large',
    'The extensions of the chunks are over 16 KiB: send the body without them.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    'The request did not arrive completely in time: send it again.',
  ],
};

const MALFORMED: [ErrorCode, string] = ['invalid_request', 'This is not a valid HTTP/1.1 request.'];

/** The complete response to a request that Node's parser refused, with the common error envelope. */
function responseFor(errorCode: string | undefined): string {
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
 * Answers a request that Node's parser refused, and ends its connection.
 * @param isBusy whether a response is being sent on the connection, into which another must not be written
 */
export const answerClientError =
  (isBusy: (socket: Socket) => boolean) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || isBusy(socket)) socket.destroy();
    else socket.end(responseFor(error.code), () => socket.destroySoon());
  };
