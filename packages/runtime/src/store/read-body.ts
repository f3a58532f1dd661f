import { createHash } from 'node:crypto';
import { RuntimeRefusal } from '../platform/refusal.ts';
import type { Progress } from './pace.ts';

/** A body, and the hex SHA-256 of it. */
export type Body = { bytes: Uint8Array; sha256: string };

/**
 * Reads the body of an answer, and stops as soon as it exceeds a limit, whatever its headers promised. It is hashed on the
 * way, while the network would be waited for.
 * @param limit in bytes
 * @throws RuntimeRefusal `too-large`
 */
export async function readBody(response: Response, limit: number, progress: Progress): Promise<Body> {
  const chunks: Uint8Array[] = [];
  const hash = createHash('sha256');
  let size = 0;
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    progress.bytes = size;
    if (size > limit) throw new RuntimeRefusal('too-large', `The store sends more than ${limit} bytes.`);
    hash.update(chunk);
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks, size);
  const bytes = new Uint8Array(whole.buffer, whole.byteOffset, whole.length);
  return { bytes, sha256: hash.digest('hex') };
}
