import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/**
 * Writes a file whole or not at all, for its owner's eyes only: whatever happens, what is under its name afterwards is the
 * old content or the new one, and the new one once this resolves. Only who holds the file's lock may call this: there is one
 * draft, so that crashes leave one behind at most.
 * @throws what the file system throws
 */
export async function writeDurable(file: string, content: Uint8Array): Promise<void> {
  const draft = `${file}.tmp`;
  await rm(draft, { force: true });
  // "wx" follows no link and takes over no file of another program.
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}
