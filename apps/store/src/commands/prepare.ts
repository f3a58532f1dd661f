import { existsSync } from 'node:fs';
import { createUnitOfWork } from '../adapters/database/stores.ts';
import { databaseIn } from '../adapters/disk/data-folder.ts';
import { readHeldKeys } from '../adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../adapters/disk/signing-key-file.ts';
import { makeBucket } from '../adapters/s3/make-bucket.ts';
import { openKeys } from '../open-keys.ts';
import { openDatabase, type System } from '../open-store.ts';
import type { Settings } from '../settings.ts';
import { inOneLine } from './backup/folder-store.ts';
import type { Command } from './command.ts';

/**
 * Makes what processes of a store share and is not there yet: the bucket, the tables, the signing key. Two processes that
 * start together on nothing could each make a key, and sign with different ones.
 * @returns what the store will sign with
 */
async function prepare(settings: Settings, { newId, log }: System): Promise<{ keyId: string }> {
  if (settings.s3) await makeBucket(settings.s3);
  if (settings.databaseUrl === null && !existsSync(databaseIn(settings.dataDir))) {
    const { keyId } = await openSigningKey(settings.signingKeyFile, newId);
    await readHeldKeys(settings.signingKeyFile);
    return { keyId };
  }
  const db = await openDatabase(settings, log);
  try {
    const deps = { unitOfWork: createUnitOfWork(db), newId };
    return { keyId: (await openKeys(deps, settings.signingKeyFile)).signingKey.keyId };
  } finally {
    await db.destroy();
  }
}

/** `svc-store prepare` */
export const prepareCommand: Command = {
  name: 'prepare',
  operands: [],
  options: {},
  summary: 'make what several processes share, before the first of them starts: bucket, tables, signing key',
  async run(_given, settings, ambient) {
    const { keyId } = await inOneLine('The store was not prepared', () => prepare(settings, ambient));
    return `Everything is there that the processes of the store share. It signs with ${keyId}.`;
  },
};
