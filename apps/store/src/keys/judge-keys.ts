import type { StoreKey } from '@svc/contracts';

/** Whether a store may sign with the key at hand: with which chain, or why not. */
export type KeyVerdict = { chain: readonly StoreKey[] } | { refused: string };

/** How to get a store going again whose newest key is not at hand. */
const wayBack = (keyId: string, file: string): string =>
  `Mount the volume that holds ${keyId}, or copy the key and its .chain.json to ${file} from where you keep them. If the key is lost for good, stop every process of the store and run: svc-store keys declare-lost ${keyId}`;

/** The first sentence names what is at hand, the rest says what to do. */
const refused = (why: string, keyId: string, file: string): KeyVerdict => ({
  refused: `${why} ${wayBack(keyId, file)}`,
});

const nameOf = (keys: readonly StoreKey[]): string => String(keys.at(-1)?.keyId);

const holds = (keys: readonly StoreKey[], key: StoreKey): boolean =>
  keys.some(({ publicKeyPem }) => publicKeyPem === key.publicKeyPem);

/**
 * Compares the chain in the database with the one at hand. With another key everything that is published would fail to
 * verify, so the store goes on only with its newest key, or with a key that this one signed.
 * @param known the chain in the database
 * @param held the verified chain beside the private key; null when there is no private key
 * @param file where the private key belongs
 */
export function judgeKeys(
  known: readonly StoreKey[],
  held: readonly StoreKey[] | null,
  file: string,
): KeyVerdict {
  const [newest, current] = [known.at(-1) as StoreKey, held?.at(-1)];
  const { keyId } = newest;
  if (!held || !current) return refused(`The signing key ${keyId} is not in ${file}.`, keyId, file);
  // The database also knows the chain when its file was lost.
  if (current.publicKeyPem === newest.publicKeyPem)
    return { chain: held.length > known.length ? held : known };
  if (holds(held, newest)) return { chain: held };
  const why = holds(known, current)
    ? `The signing key in ${file} is ${nameOf(held)}, which was retired: this store signs with ${keyId}.`
    : `The signing key in ${file} is ${nameOf(held)}, which this store does not know: it signs with ${keyId}.`;
  return refused(why, keyId, file);
}

/**
 * Judges a key by a database that knows no chain: it is new, or an earlier program wrote it, and only signatures tell the
 * keys.
 * @param signers the ids of the keys that signed a version
 * @param isOthers whether a store with another database has started with the key at hand
 */
export function judgeBySignatures(
  signers: readonly string[],
  held: readonly StoreKey[] | null,
  file: string,
  isOthers = false,
): KeyVerdict {
  // An empty database would have everything yanked let back: its revocation list is empty, and newer.
  if (held && isOthers && signers.length === 0)
    return {
      refused: `The key ${nameOf(held)} in ${file} belongs to a store with another database, and this one is new. Mount the volume that holds the database, name the right one, or restore a backup. To begin a new store with this key remove ${file}.store first.`,
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
