import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const flush = promisify(fsync);

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and keeps names in order by itself.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
