import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolderDurably } from '../../../adapters/disk/durable-file.ts';
import { chainFileOf, readHeldKeys } from '../../../adapters/disk/key-chain-file.ts';
import { type Content, CorruptBackupError, contentOf, copyVerified } from './plain-file.ts';
import type { BackupRecord } from './record.ts';
import { partIn } from './take-backup.ts';

/** Where the key and its chain are staged: next to the key file, which may be on another disk than the data. */
export const draftOf = (keyFile: string): string => `${keyFile}.restored`;

export async function removeKeyDraft(keyFile: string): Promise<void> {
  const draft = draftOf(keyFile);
  await Promise.all([draft, chainFileOf(draft)].map((file) => rm(file, { force: true })));
}

/** An interrupted restore may have moved the chain into place, and not yet the key; any other chain belongs to another key. */
async function requireOwnChain(file: string, chain: Content): Promise<void> {
  if (!existsSync(file) || (await contentOf(file)).sha256 === chain.sha256) return;
  throw new Error(
    `${file} exists without its key, and is not the chain of the backup: put its key next to it, or move it away.`,
  );
}

/**
 * Stages the keys, unless the store has its keys already. Those are never replaced: they may be the only copy.
 * @returns whether there are keys to move in
 * @throws Error when the store would sign with a key that clients do not trust
 */
export async function stageKeys(
  { folder, record }: { folder: string; record: BackupRecord },
  keyFile: string,
): Promise<boolean> {
  const { keyId, keys: parts } = record;
  const held = await readHeldKeys(keyFile);
  if (held?.keys.some((key) => key.keyId === keyId)) return false;
  if (held) {
    throw new Error(`${keyFile} is ${held.keyId}, which does not follow ${keyId}, the key of the backup.`);
  }
  if (!parts) throw new Error(`the backup has no key: put ${keyId} and its chain at ${keyFile} first.`);
  await requireOwnChain(chainFileOf(keyFile), parts.chain);
  const draft = draftOf(keyFile);
  await makeFolderDurably(dirname(keyFile));
  await removeKeyDraft(keyFile);
  await copyVerified(partIn(folder, parts.privateKey), draft, parts.privateKey);
  await copyVerified(partIn(folder, parts.chain), chainFileOf(draft), parts.chain);
  const read = await readHeldKeys(draft);
  if (read?.keyId !== keyId) throw new CorruptBackupError(`The key in the backup is not ${keyId}.`);
  return true;
}
