import { footprintOf } from '@svc/permissions';
import { factsOf, type SigningKey, signFacts } from '@svc/signing';
import type { KeyChainStore, SignedVersion } from './key-chain-store.ts';

/** Manifests in memory at the same time. */
const BATCH = 100;

const signWith = ({ manifest, ...release }: SignedVersion, key: SigningKey) =>
  signFacts(factsOf(release, footprintOf(manifest)), key);

/**
 * Signs every signed version again with another key. The signed facts do not change, nor does their time. Call it in a transaction.
 * @returns the number of signed versions
 */
export async function signAgain(signingKeys: KeyChainStore, key: SigningKey): Promise<number> {
  let signed = 0;
  let batch = await signingKeys.signedAfter(null, BATCH);
  while (batch.length > 0) {
    for (const version of batch) await signingKeys.replaceSignature(version, signWith(version, key));
    signed += batch.length;
    batch = await signingKeys.signedAfter(batch.at(-1) as SignedVersion, BATCH);
  }
  return signed;
}
