import { readFile } from 'node:fs/promises';
import { renameDurably, writeDurably } from './durable-file.ts';
import { orNull } from './or-null.ts';

/** Beside the private key: the name of the store that signs with it, as its database has it. */
const ownerFileOf = (keyFile: string): string => `${keyFile}.store`;

/** The name of the store that has started with a key; null when none has. */
export const readKeyOwner = (keyFile: string): Promise<string | null> =>
  orNull(readFile(ownerFileOf(keyFile), 'utf8'));

/** Notes which store signs with a key, once. Where the key lies on a volume that no store writes to, nothing is noted. */
export async function keepKeyOwner(keyFile: string, name: string): Promise<void> {
  const file = ownerFileOf(keyFile);
  if ((await readKeyOwner(keyFile)) !== null) return;
  try {
    // Processes that start together write the same name.
    const draft = `${file}.${process.pid}`;
    await writeDurably(draft, name);
    await renameDurably(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EEXIST') throw error;
  }
}
