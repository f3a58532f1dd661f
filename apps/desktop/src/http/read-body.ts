import type { IncomingMessage } from 'node:http';
import { HttpError, invalid } from './exchange.ts';

const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, 'too-large', `The request is larger than ${maxBytes} bytes.`);

/**
 * Reads the body of a request.
 * @throws HttpError 413 `too-large`, before reading if the request has a content length
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open, because the error response is still sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the JSON body of a request. Cross-site forms cannot send this content type without a CORS preflight.
 * @throws HttpError 400, 413, 415
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new HttpError(415, 'invalid_request', 'Send application/json.');
  const bytes = await readBody(request, maxBytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('The request is not JSON.');
  }
}
