import { keyRing, verifyHashedBundle } from '@svc/signing';
import { createStores } from '../../../adapters/database/stores.ts';
import type { SignedVersion } from '../../../core/keys/key-chain-store.ts';
import type { Database } from '../../../platform/database/schema.ts';

/** Manifests held in memory at a time. */
const BATCH = 100;

/**
 * Verifies each signed version of a database as a client does, against the hashes of bytes that were read.
 * @returns how many versions were verified
 */
export async function verifyVersions(db: Database, intact: ReadonlySet<string>): Promise<number> {
  const { signingKeys } = createStores(db);
  const keys = keyRing((await signingKeys.known()) ?? []);
  let verified = 0;
  let batch = await signingKeys.signedAfter(null, BATCH);
  while (batch.length > 0) {
    for (const version of batch) {
      const { appId, version: number, sha256, manifest } = version;
      if (!intact.has(sha256)) throw new Error(`the bundle of ${appId} ${number} is missing`);
      const result = verifyHashedBundle(sha256, manifest, version, keys);
      if (!result.ok) throw new Error(`${appId} ${number} does not verify: ${result.message}`);
    }
    verified += batch.length;
    batch = await signingKeys.signedAfter(batch.at(-1) as SignedVersion, BATCH);
  }
  return verified;
}
