import { constants } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RuntimeError } from '../platform/runtime-error.ts';
import { syncFolder } from '../platform/sync-folder.ts';

/** 32 bytes as base64url. */
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** Permission bits of the group and of everybody else. */
const OTHERS = 0o077;

/** Longest file that is read, in bytes: a key and the end of its line. */
const MAX_BYTES = 64;

const locked = (message: string): RuntimeError => new RuntimeError('vault-locked', message);

async function textOf(file: string): Promise<string> {
  // A pipe put in place of the file must not stop the program: without O_NONBLOCK opening it waits for a writer.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { mode, uid, size } = await handle.stat();
    const own = process.getuid?.();
    if (own !== undefined && ((mode & OTHERS) !== 0 || (uid !== own && uid !== 0))) {
      throw locked(`Others on this machine may read or replace the key of the vault, ${file}.`);
    }
    if (size > MAX_BYTES) throw locked(`${file} is no key of a vault.`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * The key in a file.
 * @returns 32 bytes; null when there is no such file
 * @throws RuntimeError vault-locked when others may read it, or it holds no key
 */
export async function readKeyFile(file: string): Promise<Buffer | null> {
  try {
    const text = (await textOf(file)).trim();
    if (text === '')
      throw locked(
        `The key of the vault, ${file}, is empty. Bring it back from a backup; if there is no vault yet, remove it, and another is made.`,
      );
    if (!KEY.test(text)) throw locked(`${file} is no key of a vault.`);
    return Buffer.from(text, 'base64url');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Gives a finished draft its name, which nothing may have yet. Where there are no links it is renamed. */
async function publishDraft(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await rename(draft, file);
  }
}

/**
 * Makes a file with a key in it, for its owner alone. The file must not be there. It is whole from the beginning: an empty one
 * would lock its owner out of a vault for ever.
 */
export async function writeKeyFile(file: string, key: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.tmp`;
  await rm(draft, { force: true });
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${Buffer.from(key).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publishDraft(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
}
