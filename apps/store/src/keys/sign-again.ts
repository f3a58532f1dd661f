import { footprintOf } from '@svc/permissions';
import { factsOf, type SigningKey, signFacts } from '@svc/signing';
import type { KeyChainStore, SignedVersion } from './key-chain-store.ts';

/** Manifests held in memory at a time. */
const BATCH = 100;

const sealOf = ({ manifest, ...release }: SignedVersion, key: SigningKey) =>
  signFacts(factsOf(release, footprintOf(manifest)), key);

/**
 * Signs every signed version with another key: the facts, with their time, stay as they were. Run it in a transaction.
 * @returns how many versions were signed
 */
export async function signAgain(signingKeys: KeyChainStore, key: SigningKey): Promise<number> {
  let signed = 0;
  let batch = await signingKeys.signedAfter(null, BATCH);
  while (batch.length > 0) {
    for (const version of batch) await signingKeys.replaceSignature(version, sealOf(version, key));
    signed += batch.length;
    batch = await signingKeys.signedAfter(batch.at(-1) as SignedVersion, BATCH);
  }
  return signed;
}
