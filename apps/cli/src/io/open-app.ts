import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { LIMITS } from '@svc/contracts/vocabulary';
import { usageError } from '../failure.ts';
import type { OpenedApp, Purpose } from './opened-app.ts';

/** Files larger than this are not read at all: no bundle may be so large even when it is unpacked. */
const MAX_BYTES = LIMITS.bundle.inflatedBytes;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown';

const cannotRead = (shown: string, error: unknown): Error => {
  const code = codeOf(error);
  const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`;
  return usageError(`${shown} ${why}.`, { cause: error });
};

/**
 * Reads what a PATH names: a folder is packed, a `.json` file is a manifest, any other file is a bundle.
 * @param cwd folder that a relative path starts from
 * @throws CommandError of wrong use when there is nothing to read
 */
export async function openApp(cwd: string, shown: string, purpose: Purpose): Promise<OpenedApp> {
  const full = path.resolve(cwd, shown);
  const stats = await stat(full).catch((error: unknown) => {
    throw cannotRead(shown, error);
  });
  if (stats.isDirectory()) {
    // Packing takes longer to load than to check a manifest, which needs none of it.
    const { openFolder } = await import('./open-folder.ts');
    return openFolder(full, shown, purpose);
  }
  if (!stats.isFile()) throw usageError(`${shown} is neither a folder nor a file.`);
  if (stats.size > MAX_BYTES) return { kind: 'oversized', size: stats.size };
  const bytes = await readWhole(full, shown);
  if (path.extname(full).toLowerCase() === '.json') return { kind: 'manifest', bytes };
  return { kind: 'bundle', bytes, leftOut: [] };
}

/**
 * Reads a bundle file for a check that wants no other kind of PATH.
 * @throws CommandError of wrong use when it is not there, no file, or larger than a bundle may be
 */
export async function openBundleFile(cwd: string, shown: string): Promise<Uint8Array> {
  const opened = await openApp(cwd, shown, 'check');
  if (opened.kind === 'bundle' && opened.bytes.length <= LIMITS.bundle.bytes) return opened.bytes;
  if (opened.kind === 'bundle' || opened.kind === 'oversized') {
    throw usageError(`${shown} is larger than a bundle may be (${LIMITS.bundle.bytes} bytes).`);
  }
  throw usageError(`${shown} is not a bundle file.`);
}

/** Opens without waiting for a pipe, in case the file was swapped since it was looked at. */
async function readWhole(full: string, shown: string): Promise<Uint8Array> {
  const handle = await open(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw cannotRead(shown, error);
    },
  );
  try {
    const content = await handle.readFile();
    return new Uint8Array(content.buffer, content.byteOffset, content.length);
  } catch (error) {
    throw cannotRead(shown, error);
  } finally {
    await handle.close();
  }
}
