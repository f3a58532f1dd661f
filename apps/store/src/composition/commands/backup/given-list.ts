import { readFile, stat } from 'node:fs/promises';
import type { RevocationList } from '@svc/contracts';
import { canonicalJson, keyRing, signRevocations, verifyRevocationList } from '@svc/signing';
import { keyIn, readHeldKeys } from '../../../adapters/disk/key-chain-file.ts';
import type { Clock } from '../../../platform/system.ts';

/** The most bytes of a list: one with 50,000 yanks has 5 MB. */
const MAX_BYTES = 256 * 1024 * 1024;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

async function readText(file: string): Promise<string> {
  const stats = await stat(file);
  if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error(`${file} is not a revocation list.`);
  return readFile(file, 'utf8');
}

/**
 * Reads a revocation list that the operator has, from the bucket, a mirror or a cache.
 * @param keyFile the signing key of the store; the list must be signed with it, or with a key of its chain
 * @throws Error for any other file
 */
export async function readGivenList(file: string, keyFile: string): Promise<RevocationList> {
  const list = parsed(await readText(file));
  const held = await readHeldKeys(keyFile);
  if (!held || !verifyRevocationList(list, keyRing(held.keys)))
    throw new Error(
      `${file} is not a revocation list of this store: it is not signed with ${held?.keyId ?? 'its key'} or an earlier key of its chain.`,
    );
  return list;
}

/**
 * Joins a list with the one that is kept beside the bundles of the store here: either may have yanks that the other lacks. The result is
 * signed with the key of the store, at the later time of those lists that this key has signed.
 * @param kept the text of the other list; one that no key of the store has signed does not count, as for the store when it starts
 * @returns the text to keep
 */
export async function joinLists(
  given: RevocationList,
  { kept, keyFile, clock }: { kept: string | null; keyFile: string; clock: Clock },
): Promise<string> {
  const held = await readHeldKeys(keyFile);
  const other = kept === null ? null : parsed(kept);
  if (!held || !verifyRevocationList(other, keyRing(held.keys))) return JSON.stringify(given);
  const key = keyIn(keyFile, held.pem);
  const current = [given, other].filter((list) => verifyRevocationList(list, keyRing([key])));
  const [signedAt = clock().toISOString()] = current
    .map((list) => list.signedAt)
    .sort()
    .toReversed();
  const entries = [...given.entries, ...other.entries];
  const unique = new Map(entries.map((entry) => [canonicalJson(entry), entry]));
  return JSON.stringify(signRevocations([...unique.values()], signedAt, key));
}
