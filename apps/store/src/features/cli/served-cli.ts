import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { withFile } from './tar.ts';

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
