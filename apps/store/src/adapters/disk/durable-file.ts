import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes what a folder lists durable: a rename is only on the disk once its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder with those above it that are missing, readable by the owner alone, durably: before anything in it can be
 * found after a power cut, its own name must be on the disk.
 */
export async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let made = resolve(folder); made !== top; made = dirname(made)) await syncFolder(dirname(made));
}

/** Writes a whole file so that it survives a power cut, under a name that no reader knows yet. */
export async function writeDurably(file: string, bytes: Uint8Array | string, mode = 0o600): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a durable file its name, durably. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}
