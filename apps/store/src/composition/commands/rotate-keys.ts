import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import type { StoreKey } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { factsOf, type SigningKey, signFacts } from '@svc/signing';
import { createUnitOfWork, type Stores } from '../../adapters/database/stores.ts';
import { openFolderDurably, renameDurably } from '../../adapters/disk/durable-file.ts';
import { chainFileOf, readHeldKeys, rotateSigningKey } from '../../adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../../adapters/disk/signing-key-file.ts';
import { type AuditLog, systemActor } from '../../core/domain/audit/audit-log.ts';
import { jobMover, type Mover } from '../../core/domain/versions/changes.ts';
import { checkKeysByChain } from '../../core/keys/check-keys.ts';
import type { KeyChainStore, SignedVersion } from '../../core/keys/key-chain-store.ts';
import type { Clock, Log } from '../../platform/system.ts';
import { openDatabase, openKeys, type System } from '../open-data.ts';
import { SettingError, type Settings } from '../settings.ts';
import { inOneLine } from './backup/folder-store.ts';
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

/** Manifests in memory at the same time. */
const BATCH = 100;

const signWith = ({ manifest, ...release }: SignedVersion, key: SigningKey) =>
  signFacts(factsOf(release, footprintOf(manifest)), key);

/**
 * Signs every signed version again with another key. The signed facts do not change, nor does their time. Call it in a transaction.
 * @returns the number of signed versions
 */
async function signAgain(signingKeys: KeyChainStore, key: SigningKey, mover: Mover): Promise<number> {
  let signed = 0;
  let batch = await signingKeys.signedAfter(null, BATCH);
  while (batch.length > 0) {
    for (const version of batch) await signingKeys.replaceSignature(version, signWith(version, key), mover);
    signed += batch.length;
    batch = await signingKeys.signedAfter(batch.at(-1) as SignedVersion, BATCH);
  }
  return signed;
}

type LossSettings = Pick<Settings, 'signingKeyFile' | 'dataDir' | 'databaseUrl'>;

/** @throws Error when the store does not sign with that key, or when the key is not lost */
async function requireLost({ signingKeys }: Stores, lost: string, file: string): Promise<void> {
  const known = await signingKeys.known();
  const signers = known?.slice(-1).map(({ keyId }) => keyId) ?? (await signingKeys.signers());
  if (!signers.includes(lost)) throw new Error(`this store signs with ${signers.join(', ') || 'no key yet'}`);
  const held = await readHeldKeys(file);
  const isHeld = known ? 'chain' in checkKeysByChain(known, held?.keys ?? null, file) : held?.keyId === lost;
  if (!isHeld) return;
  throw new Error(
    `${lost} is in ${file}. To replace it, run svc-store keys rotate; if it was stolen, move ${file} and its .chain.json away first`,
  );
}

/** Renames the public chain of the lost key, which does not lead to the new key. */
async function setAsideChain(file: string, lost: string): Promise<void> {
  const chain = chainFileOf(file);
  if (!existsSync(file) && existsSync(chain)) await renameDurably(chain, `${chain}.${lost}`);
}

/** Starts a new chain with the current key, which is created when there is none, and signs everything published with it. */
async function beginWith(stores: Stores, lost: string, file: string, { newId, clock }: System) {
  await requireLost(stores, lost, file);
  await setAsideChain(file, lost);
  const key = await openSigningKey(file, newId);
  const held = await readHeldKeys(file);
  const versions = await signAgain(stores.signingKeys, key, jobMover('signer', clock().toISOString()));
  await stores.signingKeys.record(held?.keys as StoreKey[]);
  const detail = { keyId: key.keyId, lostKeyId: lost, versions };
  await stores.audit.add(systemActor('operator'), clock().toISOString(), { action: 'key.lost', detail });
  return { keyId: key.keyId, versions };
}

/**
 * Replaces a lost signing key, in one transaction. A key that an earlier, failed attempt created is used again.
 * @param lost the id of the lost key, which the operator names to confirm
 */
export async function declareKeyLost(settings: LossSettings, lost: string, system: System) {
  await openFolderDurably(settings.dataDir);
  const db = await openDatabase(settings, system.log);
  try {
    return await createUnitOfWork(db)((stores) => beginWith(stores, lost, settings.signingKeyFile, system));
  } finally {
    await db.destroy();
  }
}

/** `svc-store keys declare-lost KEY-ID` */
export const keysDeclareLost: Command = {
  name: 'keys declare-lost',
  operands: ['KEY-ID'],
  options: {},
  summary:
    'replace the signing key KEY-ID, which is lost, with a new one, and sign everything published again. Stop the store first',
  async run({ operands }, settings, system) {
    const lost = operands[0] as string;
    const { keyId, versions } = await inOneLine('No key was replaced', () =>
      declareKeyLost(settings, lost, system),
    );
    return `The signing key is now ${keyId} instead of ${lost}; ${versions} versions are signed with it. Clients that pinned ${lost} refuse this store until they pin ${keyId}: inform their users.`;
  },
};
