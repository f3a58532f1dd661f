import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const BLOCK = 512;

/** The time that npm sets for every file of a package, so that the same files give the same archive. */
const TIME_S = Date.UTC(1985, 9, 26, 8, 15) / 1000;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** The ustar header of a regular file (POSIX.1-1988, tar interchange format). */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const put = (text: string, at: number) => block.write(text, at, 'latin1');
  put(name, 0);
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(TIME_S, 12), 136);
  // The checksum counts its own field as spaces.
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\0' + '00', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 7)} `, 148);
  return block;
}

/** The offset at which the files of an archive end and its closing blocks of zeros begin. */
function endOf(archive: Buffer): number {
  let at = 0;
  while (at + BLOCK <= archive.length && archive.subarray(at, at + BLOCK).some((byte) => byte !== 0)) {
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 136), 8);
    if (!Number.isSafeInteger(size)) throw new Error('The archive is corrupt.');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return at;
}

/** Adds a file to an archive. Its name has at most 100 ASCII characters. */
function withFile(archive: Buffer, name: string, content: Buffer): Buffer {
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  const closing = Buffer.alloc(2 * BLOCK);
  return Buffer.concat([
    archive.subarray(0, endOf(archive)),
    header(name, content.length),
    content,
    padding,
    closing,
  ]);
}

/** The command line as this store serves it: an npm package with its hashes. */
export type ServedCli = {
  body: Uint8Array;
  version: string;
  /** As `sha256sum` prints it. */
  sha256: string;
  /** As npm writes it to a lock file (Subresource Integrity). */
  integrity: string;
};

/** The largest archive that is unpacked, in bytes. */
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;

const ENTRY = /"version": "(?<version>[^"]+)"/;

/** Reads the version from the package.json of an archive, in which each file is stored as plain text. */
function versionIn(archive: Buffer): string {
  const at = archive.indexOf('package/package.json\0', 0, 'latin1');
  const match = at < 0 ? null : ENTRY.exec(archive.toString('utf8', at + 512, at + 16 * 1024));
  if (!match?.groups?.version) throw new Error('The package of the command line has no version.');
  return match.groups.version;
}

/**
 * Reads the package of the command line, and adds the URL of this store to it as the default of `--store`.
 * @param file the tarball that `npm pack` created
 */
export async function readServedCli(file: string, baseUrl: string): Promise<ServedCli> {
  const archive = await promisify(gunzip)(await readFile(file), { maxOutputLength: MAX_ARCHIVE_BYTES });
  const store = Buffer.from(`${JSON.stringify({ store: baseUrl })}\n`);
  const body: Buffer = await promisify(gzip)(withFile(archive, 'package/store.json', store), { level: 9 });
  const hash = (name: string) => createHash(name).update(body);
  return {
    body,
    version: versionIn(archive),
    sha256: hash('sha256').digest('hex'),
    integrity: `sha512-${hash('sha512').digest('base64')}`,
  };
}
