import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { LIMITS } from '@svc/contracts/vocabulary';
import { usageError } from '../failure.ts';
import type { OpenedApp, Purpose } from './opened-app.ts';

/** Larger files are not read: this is the limit of an unpacked bundle. */
const MAX_BYTES = LIMITS.bundle.inflatedBytes;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown';

const cannotRead = (shown: string, error: unknown): Error => {
  const code = codeOf(error);
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  return usageError(isMissing ? `${shown} does not exist.` : `Cannot read ${shown} (${code}).`, {
    cause: error,
  });
};

/**
 * Reads a PATH: a folder is packed, a `.json` file is a manifest, any other file is a bundle.
 * @param cwd folder against which a relative path is resolved
 * @throws CommandError with exit code 2 when it cannot be read
 */
export async function openApp(cwd: string, shown: string, purpose: Purpose): Promise<OpenedApp> {
  const full = path.resolve(cwd, shown);
  const stats = await stat(full).catch((error: unknown) => {
    throw cannotRead(shown, error);
  });
  if (stats.isDirectory()) {
    // Loaded on demand: loading the packer takes longer than checking a manifest, which does not need it.
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
 * Reads a bundle file.
 * @throws CommandError with exit code 2 when it does not exist, is not a file, or is larger than a bundle may be
 */
export async function openBundleFile(cwd: string, shown: string): Promise<Uint8Array> {
  const opened = await openApp(cwd, shown, 'check');
  if (opened.kind === 'bundle' && opened.bytes.length <= LIMITS.bundle.bytes) return opened.bytes;
  if (opened.kind === 'bundle' || opened.kind === 'oversized') {
    throw usageError(`${shown} is larger than the limit for bundles (${LIMITS.bundle.bytes} bytes).`);
  }
  throw usageError(`${shown} is not a bundle file.`);
}

/** Reads a file. O_NONBLOCK avoids waiting for a pipe, in case the file was replaced since `stat`. */
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
