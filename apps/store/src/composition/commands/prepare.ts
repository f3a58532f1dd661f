import { existsSync } from 'node:fs';
import { createUnitOfWork } from '../../adapters/database/stores.ts';
import { databaseIn } from '../../adapters/disk/data-folder.ts';
import { readHeldKeys } from '../../adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../../adapters/disk/signing-key-file.ts';
import { makeBucket } from '../../adapters/s3/make-bucket.ts';
import { openKeys } from '../open-keys.ts';
import { openDatabase, type System } from '../open-store.ts';
import type { Settings } from '../settings.ts';
import { inOneLine } from './backup/folder-store.ts';
import type { Command } from './command.ts';

/**
 * Creates what the processes of a store share, unless it exists: the bucket, the tables, the signing key. Two processes that start
 * at the same time without a key could each create one, and sign with different keys.
 * @returns the key that the store will sign with
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
  summary:
    'create what several processes share, before the first of them starts: bucket, tables, signing key',
  async run(_args, settings, system) {
    const { keyId } = await inOneLine('The store was not prepared', () => prepare(settings, system));
    return `The bucket, the tables and the signing key of the store exist. It signs with ${keyId}.`;
  },
};
