import { randomUUID } from 'node:crypto';
import type { StoreKey } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import { unlessReadOnly } from '../adapters/disk/faults.ts';
import { chainText, readHeldKeys, writeKeyChain } from '../adapters/disk/key-chain-file.ts';
import { keepKeyOwner, openSigningKey, readKeyOwner } from '../adapters/disk/signing-key-file.ts';
import { checkKeysByChain, checkKeysBySignatures, type KeyVerdict } from '../features/keys/check-keys.ts';
import type { KeyChainStore } from '../features/keys/key-chain-store.ts';
import type { BlobLedger } from '../features/publishing/blob-ledger.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { SettingError } from './settings.ts';

type KeyStores = { signingKeys: KeyChainStore; blobLedger: Pick<BlobLedger, 'ownerName'> };

/** Checks with the database whether the store may use the current key. */
async function checkKeys(
  { signingKeys, blobLedger }: KeyStores,
  held: readonly StoreKey[] | null,
  file: string,
): Promise<KeyVerdict> {
  const chain = await signingKeys.known();
  if (chain) return checkKeysByChain(chain, held, file);
  const signers = await signingKeys.signers();
  const owner = await readKeyOwner(file);
  const isOthers = owner !== null && owner !== (await blobLedger.ownerName(randomUUID()));
  return checkKeysBySignatures(signers, held, file, isOthers);
}

/**
 * Records the key chain of the store in the database. Run it in a transaction: of two processes that each created a key, the second
 * is refused.
 * @param held null when there is no private key
 * @returns the chain that the store uses
 * @throws SettingError when the current key is not the one of the database, with how to restore the right one
 */
async function requireOwnKeys(
  stores: KeyStores,
  held: readonly StoreKey[] | null,
  file: string,
): Promise<readonly StoreKey[]> {
  const verdict = await checkKeys(stores, held, file);
  if ('refused' in verdict) throw new SettingError(verdict.refused);
  if (held) await stores.signingKeys.record(verdict.chain);
  return verdict.chain;
}

/**
 * Opens the signing key with its chain. The key is created when there is none and nothing was ever signed; otherwise the key of the
 * database must exist.
 * @throws SettingError when that key is missing
 */
export async function openKeys(
  { unitOfWork, newId }: { unitOfWork: UnitOfWork<KeyStores>; newId(): string },
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
  // The database has the chain when the file was lost or never copied. Without the file a rotation would start another chain.
  if (held && chainText(held) !== chainText(keyChain)) await unlessReadOnly(writeKeyChain(file, keyChain));
  await keepKeyOwner(file, name);
  return { signingKey, keyChain };
}
