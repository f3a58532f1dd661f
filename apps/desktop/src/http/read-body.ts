import type { IncomingMessage } from 'node:http';
import { HttpError, invalid } from './exchange.ts';

const tooLarge = (most: number): HttpError =>
  new HttpError(413, 'too-large', `More than ${most} bytes are not taken at once.`);

/**
 * All bytes of a request.
 * @throws HttpError 413 `too-large`, before anything is read when the request says its length
 */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not ended by the iterator: the connection is still needed to say why.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The JSON of a request. A form of another site cannot send this content type without the browser asking first.
 * @throws HttpError 400, 413, 415
 */
export async function readJson(request: IncomingMessage, most: number): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new HttpError(415, 'invalid_request', 'Send application/json.');
  const bytes = await readBody(request, most);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('The request is not JSON.');
  }
}
