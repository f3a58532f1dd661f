import { randomUUID } from 'node:crypto';
import type { StoreKey } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import { readHeldKeys, writeKeyChain } from './adapters/disk/key-chain-file.ts';
import { keepKeyOwner, readKeyOwner } from './adapters/disk/key-owner-file.ts';
import { openSigningKey } from './adapters/disk/signing-key-file.ts';
import { judgeBySignatures, judgeKeys, type KeyVerdict } from './keys/judge-keys.ts';
import type { KeyChainStore } from './keys/key-chain-store.ts';
import type { UnitOfWork } from './platform/system.ts';
import type { BlobLedger } from './publishing/blob-ledger.ts';
import { SettingError } from './settings.ts';

type KeyStores = { signingKeys: KeyChainStore; blobLedger: Pick<BlobLedger, 'ownerName'> };

export type KeyDeps = { unitOfWork: UnitOfWork<KeyStores>; newId(): string };

/** Whether the store may go on with the key at hand, asked of the database. */
async function verdictOn(
  { signingKeys, blobLedger }: KeyStores,
  held: readonly StoreKey[] | null,
  file: string,
): Promise<KeyVerdict> {
  const chain = await signingKeys.known();
  if (chain) return judgeKeys(chain, held, file);
  const signers = await signingKeys.signers();
  const owner = await readKeyOwner(file);
  const isOthers = owner !== null && owner !== (await blobLedger.ownerName(randomUUID()));
  return judgeBySignatures(signers, held, file, isOthers);
}

/**
 * The chain that the store goes on with, recorded in the database. Run it in a transaction: of two processes that each
 * made a key of their own the second is refused.
 * @param held null when there is no private key
 * @throws SettingError when the key at hand is not that of the database, saying how to bring the right one back
 */
async function requireOwnKeys(
  stores: KeyStores,
  held: readonly StoreKey[] | null,
  file: string,
): Promise<readonly StoreKey[]> {
  const verdict = await verdictOn(stores, held, file);
  if ('refused' in verdict) throw new SettingError(verdict.refused);
  if (held) await stores.signingKeys.record(verdict.chain);
  return verdict.chain;
}

/**
 * Opens the signing key with its chain. It is made when there is none and nothing was ever signed; in any other case the
 * store must find the key that its database knows.
 * @throws SettingError when that key is not at hand
 */
export async function openKeys(
  { unitOfWork, newId }: KeyDeps,
  file: string,
): Promise<{ signingKey: SigningKey; keyChain: readonly StoreKey[] }> {
  if ((await readHeldKeys(file)) === null) {
    await unitOfWork((stores) => requireOwnKeys(stores, null, file));
  }
  const signingKey = await openSigningKey(file, newId);
  const held = (await readHeldKeys(file))?.keys ?? null;
  const { keyChain, name } = await unitOfWork(async (stores) => ({
    keyChain: await requireOwnKeys(stores, held, file),
    name: await stores.blobLedger.ownerName(newId()),
  }));
  // Where the file was lost the database has the chain: a rotation would begin another one without it.
  if (held && held.length < keyChain.length) await writeKeyChain(file, keyChain);
  await keepKeyOwner(file, name);
  return { signingKey, keyChain };
}
