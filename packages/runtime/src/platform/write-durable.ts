import { closeSync, fsync, openSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { newPrivateFile } from '@svc/bundle/private-files';

const flush = promisify(fsync);

/** Makes changes of the names in a folder durable (fsync). */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and makes names durable automatically.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file atomically and durably, readable only by its owner: after a crash the file has either the old content or the new
 * one, and once this resolves the new one. Only the holder of the file's lock may call this: there is one
 * draft file, so that crashes leave at most one.
 * @throws the errors of the file system
 */
export async function writeDurable(file: string, content: Uint8Array): Promise<void> {
  const draft = `${file}.tmp`;
  await rm(draft, { force: true });
  const handle = await newPrivateFile(draft);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    // On a full disk a part of it would take the last bytes.
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}
