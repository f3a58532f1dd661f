import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { PlainScripts } from '@svc/validator';

/** Bytes of a SHA-256. */
const DIGEST = 32;

/** Maximum digests in memory: half a megabyte. A newer one replaces an older one. */
const SLOTS = 16_384;

/**
 * Creates a memory of files without disguised scripts, which threads share: most scripts of an update are those of the previous version. It
 * lasts as long as the process, so that a newer version of the search never relies on results of an older one.
 */
export const newScriptMemory = (): SharedArrayBuffer => new SharedArrayBuffer(SLOTS * DIGEST);

type Files = ReadonlyMap<string, Uint8Array>;

/**
 * Looks up the scripts of a bundle in the memory. When two threads write a digest at the same time, the result matches no file.
 * @param memory a memory of `newScriptMemory`
 * @param entries the files
 * @param packed the same files as compressed in the zip, which are fewer bytes to hash, and always inflate to the same file
 */
export function knownScripts(memory: SharedArrayBuffer, entries: Files, packed: Files): PlainScripts {
  const digests = Buffer.from(memory);
  const digestOf = (path: string): Buffer => {
    const [bytes, compressed] = [entries.get(path), packed.get(path)];
    if (!bytes || !compressed) throw new RangeError(`The bundle has no file ${path}.`);
    // The same bytes are different files when stored and when deflated, and the extension determines what is a script.
    const kind = `${extname(path).toLowerCase()} ${bytes === compressed} ${bytes.byteLength}\0`;
    return createHash('sha256').update(kind).update(compressed).digest();
  };
  const slotOf = (digest: Buffer): Buffer => {
    const at = (digest.readUInt32LE() % SLOTS) * DIGEST;
    return digests.subarray(at, at + DIGEST);
  };
  const digestsByPath = new Map<string, Buffer>();
  return {
    has(path) {
      const digest = digestOf(path);
      digestsByPath.set(path, digest);
      return slotOf(digest).equals(digest);
    },
    add(path) {
      const digest = digestsByPath.get(path) ?? digestOf(path);
      slotOf(digest).set(digest);
    },
  };
}
