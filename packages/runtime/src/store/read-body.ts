import { createHash } from 'node:crypto';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Progress } from './transfer-timeouts.ts';

/** A body, and the hex SHA-256 of it. */
export type Body = { bytes: Uint8Array; sha256: string };

/** Allocates a buffer of the declared size, so that large bodies are not copied. */
function allocateFor({ headers }: Response, limit: number): Uint8Array {
  const declared = Number(headers.get('content-length') ?? 0);
  return new Uint8Array(Number.isSafeInteger(declared) ? Math.min(Math.max(declared, 0), limit) : 0);
}

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

/**
 * Reads the body of a response, and stops as soon as it exceeds a limit, whatever its headers declare. It is hashed while it arrives.
 * @param limit in bytes
 * @throws RuntimeError `too-large`
 */
export async function readBody(response: Response, limit: number, progress: Progress): Promise<Body> {
  const hash = createHash('sha256');
  let buffer = allocateFor(response, limit);
  let size = 0;
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    progress.bytes = size;
    if (size > limit) throw new RuntimeError('too-large', `The store sends more than ${limit} bytes.`);
    hash.update(chunk);
    if (size > buffer.length) buffer = grown(buffer, Math.min(limit, Math.max(size, 2 * buffer.length)));
    buffer.set(chunk, size - chunk.length);
  }
  return { bytes: buffer.subarray(0, size), sha256: hash.digest('hex') };
}
