import { createHash } from 'node:crypto';
import { guarded } from '@svc/contracts/guarded';

/**
 * Streams a download, with a timeout between chunks. The time that the reader takes does not count.
 * @param ms timeout between chunks, in milliseconds
 */
export async function* untilSilent(
  body: ReadableStream<Uint8Array>,
  controller: AbortController,
  ms: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const giveUp = () => controller.abort(new Error(`no bytes for ${ms} ms`));
      const timer = setTimeout(guarded(giveUp), ms);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    // A reader that stops must not leave the connection open.
    await reader.cancel().catch(() => {});
  }
}

/** The storage sent other bytes than those that it was given. */
export class OtherBytesError extends Error {}

/**
 * Streams bytes while hashing them. The last chunk is withheld until the hash is verified: a reader that knows the length can then
 * detect a corrupt download.
 * @throws OtherBytesError when the hash does not match
 */
export async function* verified(
  source: AsyncIterable<Uint8Array>,
  { sha256, size }: { sha256: string; size: number },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let seen = 0;
  let withheld: Uint8Array | null = null;
  for await (const piece of source) {
    seen += piece.byteLength;
    if (seen > size) break;
    hash.update(piece);
    if (withheld) yield withheld;
    withheld = piece;
  }
  if (seen !== size)
    throw new OtherBytesError(
      `S3 sent ${seen > size ? 'more' : 'less'} than the ${size} bytes of ${sha256}.`,
    );
  if (hash.digest('hex') !== sha256)
    throw new OtherBytesError(`S3 sent other bytes than those of ${sha256}.`);
  if (withheld) yield withheld;
}

/**
 * Streams a part of a blob. A part has no hash of its own: the client that assembles a bundle of parts verifies its signed hash.
 * @throws when the length does not match
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
