import { readFile } from 'node:fs/promises';
import { renameDurably, writeDurably } from './durable-file.ts';
import { orNull } from './or-null.ts';

/** The file next to the private key with the name of the store that signs with it, as in its database. */
const ownerFileOf = (keyFile: string): string => `${keyFile}.store`;

/** Reads the name of the store that has started with a key; null when there is none. */
export const readKeyOwner = (keyFile: string): Promise<string | null> =>
  orNull(readFile(ownerFileOf(keyFile), 'utf8'));

/** Records once which store signs with a key, unless the key is on a read-only volume. */
export async function keepKeyOwner(keyFile: string, name: string): Promise<void> {
  const file = ownerFileOf(keyFile);
  if ((await readKeyOwner(keyFile)) !== null) return;
  try {
    // Processes that start at the same time write the same name.
    const draft = `${file}.${process.pid}`;
    await writeDurably(draft, name);
    await renameDurably(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EEXIST') throw error;
  }
}
