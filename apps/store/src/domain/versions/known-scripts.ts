import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { PlainScripts } from '@svc/validator';

/** Bytes of a SHA-256. */
const DIGEST = 32;

/** Digests that are kept: half a megabyte. A newer one takes the place of an older one. */
const PLACES = 16_384;

/**
 * Memory of files in which no disguised script was found, which threads share: most scripts of an update are those of the
 * version before. It lasts as long as the process, so that another search never relies on what an older one found.
 */
export const newScriptMemory = (): SharedArrayBuffer => new SharedArrayBuffer(PLACES * DIGEST);

type Files = ReadonlyMap<string, Uint8Array>;

/**
 * What is known of a bundle's scripts. A digest that two threads write at once is a mixture of two, and that of no file.
 * @param memory of `newScriptMemory`
 * @param entries the files
 * @param packed the same files as they stand in the zip, which are fewer bytes to hash, and make the same file each time
 */
export function knownScripts(memory: SharedArrayBuffer, entries: Files, packed: Files): PlainScripts {
  const digests = Buffer.from(memory);
  const digestOf = (path: string): Buffer => {
    const [bytes, stands] = [entries.get(path), packed.get(path)];
    if (!bytes || !stands) throw new RangeError(`The bundle has no file ${path}.`);
    // Stored and deflated, the same bytes are two files; and what is script in a file depends on its extension.
    const kind = `${extname(path).toLowerCase()} ${bytes === stands} ${bytes.byteLength}\0`;
    return createHash('sha256').update(kind).update(stands).digest();
  };
  const placeOf = (digest: Buffer): Buffer => {
    const at = (digest.readUInt32LE() % PLACES) * DIGEST;
    return digests.subarray(at, at + DIGEST);
  };
  const found = new Map<string, Buffer>();
  return {
    has(path) {
      const digest = digestOf(path);
      found.set(path, digest);
      return placeOf(digest).equals(digest);
    },
    add(path) {
      const digest = found.get(path) ?? digestOf(path);
      placeOf(digest).set(digest);
    },
  };
}
