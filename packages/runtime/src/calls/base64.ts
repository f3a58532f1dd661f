import { RuntimeError } from '../platform/runtime-error.ts';

/**
 * Decodes base64 strictly (RFC 4648 section 4), also in lines, as MIME and many encoders write it.
 * @throws RuntimeError `server-failed` when it is no base64, `too-large`
 */
export function decodeBase64(data: string, maxBytes: number): Buffer {
  const text = data.replace(/[\t\n\r ]+/g, '');
  if (text.length > Math.ceil(maxBytes / 3) * 4) throw new RuntimeError('too-large');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new RuntimeError('server-failed', 'A file is no base64.');
  return Buffer.from(text, 'base64');
}
