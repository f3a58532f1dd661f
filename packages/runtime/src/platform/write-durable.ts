import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newPrivateFile } from '@svc/bundle/private-files';
import { syncFolder } from './sync-folder.ts';

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
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}
