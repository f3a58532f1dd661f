import { createHash } from 'node:crypto';

/**
 * Passes a download on, with an end to silence. The time that the reader takes does not count.
 * @param ms silence allowed, in milliseconds
 */
export async function* untilSilent(
  body: ReadableStream<Uint8Array>,
  controller: AbortController,
  ms: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const timer = setTimeout(() => controller.abort(new Error(`no bytes for ${ms} ms`)), ms);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    // A reader that stops must not leave the connection waiting.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Passes bytes on while hashing them. The last piece is held back until all are known to be right: a reader that was
 * told the length can then tell a bad download from a good one.
 * @throws when they are not the bytes that were kept
 */
export async function* verified(
  source: AsyncIterable<Uint8Array>,
  { sha256, size }: { sha256: string; size: number },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let seen = 0;
  let held: Uint8Array | null = null;
  for await (const piece of source) {
    seen += piece.byteLength;
    if (seen > size) break;
    hash.update(piece);
    if (held) yield held;
    held = piece;
  }
  if (seen !== size)
    throw new Error(`S3 sent ${seen > size ? 'more' : 'less'} than the ${size} bytes of ${sha256}.`);
  if (hash.digest('hex') !== sha256) throw new Error(`S3 sent other bytes than those kept as ${sha256}.`);
  if (held) yield held;
}

/**
 * Passes on a part of some bytes. A part has no hash of its own: who puts a bundle together of parts checks its signed hash.
 * @throws when it is not as long as it should be
 */
export async function* counted(
  source: AsyncIterable<Uint8Array>,
  sha256: string,
  length: number,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const piece of source) {
    seen += piece.byteLength;
    if (seen > length) break;
    yield piece;
  }
  if (seen !== length)
    throw new Error(
      `S3 sent ${seen > length ? 'more' : 'less'} than ${length} bytes of a part of ${sha256}.`,
    );
}
