import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { withFile } from './tar.ts';

/** The command line as this store serves it: an npm package, and what it can be recognised by. */
export type ServedCli = {
  body: Uint8Array;
  version: string;
  /** As `sha256sum` prints it. */
  sha256: string;
  /** As npm keeps it in a lock file (Subresource Integrity). */
  integrity: string;
};

/** Longest archive that is unpacked, in bytes. */
const MAX_ARCHIVE = 256 * 1024 * 1024;

const ENTRY = /"version": "(?<version>[^"]+)"/;

/** The version in the package.json of an archive, which npm puts in as text like every other file. */
function versionIn(archive: Buffer): string {
  const at = archive.indexOf('package/package.json\0', 0, 'latin1');
  const found = at < 0 ? null : ENTRY.exec(archive.toString('utf8', at + 512, at + 16 * 1024));
  if (!found?.groups?.version) throw new Error('The package of the command line has no version.');
  return found.groups.version;
}

/**
 * Reads the package of the command line, and adds the address of this store to it: commands then talk to this store
 * unless they are told otherwise.
 * @param file the tarball, as `npm pack` made it
 */
export async function readServedCli(file: string, baseUrl: string): Promise<ServedCli> {
  const archive = await promisify(gunzip)(await readFile(file), { maxOutputLength: MAX_ARCHIVE });
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
