import type { StoreKey } from '@svc/contracts';
import type { Log } from '../../platform/system.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { KeyChainStore } from './key-chain-store.ts';

/** Whether a store may sign with its key: the chain to use, or the reason for a refusal. */
export type KeyVerdict = { chain: readonly StoreKey[] } | { refused: string };

/** How to start a store whose newest key is missing. */
const recoveryHint = (keyId: string, file: string): string =>
  `Mount the volume that holds ${keyId}, or copy the key and its .chain.json to ${file} from where you keep them. If the key is permanently lost, stop every process of the store and run: svc-store keys declare-lost ${keyId}`;

/** The first sentence says what is wrong, the others what to do. */
const refused = (why: string, keyId: string, file: string): KeyVerdict => ({
  refused: `${why} ${recoveryHint(keyId, file)}`,
});

const nameOf = (keys: readonly StoreKey[]): string => String(keys.at(-1)?.keyId);

const includesKey = (keys: readonly StoreKey[], key: StoreKey): boolean =>
  keys.some(({ publicKeyPem }) => publicKeyPem === key.publicKeyPem);

/**
 * Checks the key file against the chain in the database. With another key no published version would verify, so the store
 * starts only with its newest key, or with a key that this one signed.
 * @param known the chain in the database
 * @param held the verified chain next to the private key; null when there is no private key
 * @param file the path of the private key
 */
export function checkKeysByChain(
  known: readonly StoreKey[],
  held: readonly StoreKey[] | null,
  file: string,
): KeyVerdict {
  const [newest, current] = [known.at(-1) as StoreKey, held?.at(-1)];
  const { keyId } = newest;
  if (!held || !current) return refused(`The signing key ${keyId} is not in ${file}.`, keyId, file);
  // When the file of the chain was lost, the database still has the chain.
  if (current.publicKeyPem === newest.publicKeyPem)
    return { chain: held.length > known.length ? held : known };
  if (includesKey(held, newest)) return { chain: held };
  const why = includesKey(known, current)
    ? `The signing key in ${file} is ${nameOf(held)}, which was retired: this store signs with ${keyId}.`
    : `The signing key in ${file} is ${nameOf(held)}, which is not a key of this store: it signs with ${keyId}.`;
  return refused(why, keyId, file);
}

/**
 * Checks the key file against a database without a chain. Such a database is new, or of an earlier version of this program: then
 * the signatures show which keys were used.
 * @param signers the ids of the keys that signed a version
 * @param isOthers whether a store with another database has used this key file
 */
export function checkKeysBySignatures(
  signers: readonly string[],
  held: readonly StoreKey[] | null,
  file: string,
  isOthers = false,
): KeyVerdict {
  // A new database would undo all yanks: its revocation list is empty, and newer.
  if (held && isOthers && signers.length === 0)
    return {
      refused: `The key ${nameOf(held)} in ${file} belongs to a store with another database, and this one is new. Mount the volume that holds the database, name the right one, or restore a backup. To start a new store with this key remove ${file}.store first.`,
    };
  const missing = signers.find((keyId) => !held?.some((key) => key.keyId === keyId));
  if (missing !== undefined)
    return refused(
      `Versions of this store are signed with ${missing}, which is not in ${file}.`,
      missing,
      file,
    );
  return { chain: held ?? [] };
}

/**
 * Checks the chain of a running store against the database, as at the start. An older database that lacks the current key gets the chain
 * again. A process whose key was retired since it started goes on signing with it.
 * @param keyChain the chain that the process uses
 * @returns whether the database lacked a key
 * @throws UnavailableError when the database has the chain of another store, or none
 */
export async function restoreChain(
  { signingKeys, log }: { signingKeys: Pick<KeyChainStore, 'known' | 'record'>; log: Log },
  keyChain: readonly StoreKey[],
  file: string,
): Promise<boolean> {
  const known = await signingKeys.known();
  const current = keyChain.at(-1);
  if (known === null) throw new UnavailableError('The database has no signing key: it is a new one.');
  if (current && includesKey(known, current)) return false;
  const verdict = checkKeysByChain(known, keyChain, file);
  if ('refused' in verdict) throw new UnavailableError(verdict.refused);
  await signingKeys.record(verdict.chain);
  log.error(
    { keyId: current?.keyId },
    'The database is older than the last rotation of the signing key: it was replaced by an older copy. The chain of keys was restored. See docs/backup.md.',
  );
  return true;
}
