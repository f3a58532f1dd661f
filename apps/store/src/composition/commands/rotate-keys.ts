import { randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import type { StoreKey } from '@svc/contracts';
import { createUnitOfWork } from '../../adapters/database/stores.ts';
import { openFolderDurably } from '../../adapters/disk/durable-file.ts';
import { rotateSigningKey } from '../../adapters/disk/key-chain-file.ts';
import { type AuditLog, systemActor } from '../../domain/audit/audit-log.ts';
import type { KeyChainStore } from '../../features/keys/key-chain-store.ts';
import type { Clock, Log } from '../../platform/system.ts';
import { openDatabase } from '../open-data.ts';
import { openKeys } from '../open-keys.ts';
import { SettingError, type Settings } from '../settings.ts';
import type { Command } from './command.ts';

type RotationSettings = Pick<Settings, 'signingKeyFile' | 'dataDir' | 'databaseUrl'>;

const lineOf = (chain: readonly StoreKey[]): string => {
  const [current, last] = chain.toReversed();
  return `The signing key is now ${current?.keyId}, signed by ${last?.keyId}. Restart the store to sign with it.`;
};

/**
 * Rotates the key inside a transaction that records it. No transaction spans a database and a file: the entry is written, then the key
 * file is replaced, then the transaction commits. A key can be in force without its entry only when that commit fails, and there is
 * never an entry without its key.
 */
async function rotateOnRecord(
  { audit, signingKeys }: { audit: AuditLog; signingKeys: KeyChainStore },
  keyFile: string,
  at: string,
): Promise<StoreKey[]> {
  return rotateSigningKey(keyFile, at, async (chain) => {
    const [current, last] = chain.toReversed();
    await signingKeys.record(chain);
    const detail = { keyId: String(current?.keyId), retiredKeyId: String(last?.keyId) };
    await audit.add(systemActor('operator'), at, { action: 'key.rotate', detail });
  });
}

/**
 * Gives the store a new signing key, signed by the current one. A running store is not changed: it signs with the old key, which
 * stays valid, until it is restarted.
 * @returns the line for the operator
 * @throws SettingError when the key cannot be rotated, and the old one stays in force; or when it was rotated and the audit log
 *   could not record it, which the message says
 */
export async function rotateKeys(settings: RotationSettings, clock: Clock, log: Log): Promise<string> {
  const { signingKeyFile } = settings;
  let rotated: StoreKey[] | null = null;
  try {
    // Without a key there is no store, and this command does not create one.
    await access(signingKeyFile);
    await openFolderDurably(settings.dataDir);
    const db = await openDatabase(settings, log);
    const unitOfWork = createUnitOfWork(db);
    try {
      // Only the newest key of the store may sign its successor.
      await openKeys({ unitOfWork, newId: randomUUID }, signingKeyFile);
      await unitOfWork(async (stores) => {
        rotated = await rotateOnRecord(stores, signingKeyFile, clock().toISOString());
      });
    } finally {
      await db.destroy();
    }
    return lineOf(rotated ?? []);
  } catch (error) {
    const { message } = error as Error;
    throw new SettingError(
      rotated
        ? `${lineOf(rotated)} The audit log could not record the rotation: ${message}`
        : `The signing key was not rotated: ${message}`,
    );
  }
}

/** `svc-store keys rotate` */
export const keysRotate: Command = {
  name: 'keys rotate',
  operands: [],
  options: {},
  summary: 'give the store a new signing key, signed by the current one',
  run: (_args, settings, { clock, log }) => rotateKeys(settings, clock, log),
};
