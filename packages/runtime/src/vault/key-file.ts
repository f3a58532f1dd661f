import { constants } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import { RuntimeError } from '../platform/runtime-error.ts';
import { syncFolder } from '../platform/sync-folder.ts';

/** 32 bytes as base64url. */
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Maximum file size in bytes: a key and a line feed. */
const MAX_BYTES = 64;

const locked = (message: string): RuntimeError => new RuntimeError('vault-locked', message);

async function textOf(file: string): Promise<string> {
  // If the file were replaced by a pipe, opening it without O_NONBLOCK would block.
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
 * Reads a key file.
 * @returns 32 bytes; null when there is no such file
 * @throws RuntimeError vault-locked when other users may read it, or it is not a key
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

/** Gives a complete draft its final name, which must not exist. Renames where hard links are not supported. */
async function publishDraft(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await rename(draft, file);
  }
}

/**
 * Creates a key file that only its owner may read. The file must not exist. It is created atomically: an empty one would make the vault
 * unreadable.
 */
export async function writeKeyFile(file: string, key: Uint8Array): Promise<void> {
  makePrivateFolder(dirname(file));
  const draft = `${file}.tmp`;
  await rm(draft, { force: true });
  try {
    const handle = await newPrivateFile(draft);
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
