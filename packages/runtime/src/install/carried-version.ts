import type { Manifest, OriginStatement } from '@svc/contracts';
import { verifyAtOrigin, verifyOrigin } from '@svc/signing';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { StoreKeys } from '../store/store-keys.ts';
import type { Download } from '../store/store-reader.ts';

/**
 * The verified statement from which store a version comes; undefined where its store does not say that it carries it.
 * @param manifest of the verified bundle
 * @throws RuntimeError `not-verified` for a statement that this store, or the one that it names, did not sign; and as the keys
 */
export async function carriedFrom(
  { keys, store }: { keys: Pick<StoreKeys, 'forFacts'>; store: string },
  { origin, sha256, release: { appId } }: Pick<Download, 'origin' | 'sha256' | 'release'>,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<OriginStatement | undefined> {
  if (origin === undefined) return undefined;
  const signer = String((origin as Partial<OriginStatement> | null)?.keyId ?? '');
  const ring = await keys.forFacts(signer, signal);
  // That its app and version are those of the manifest, the signature of the origin says.
  const isOfBytes = verifyOrigin(origin, ring) && origin.sha256 === sha256;
  if (isOfBytes && verifyAtOrigin(sha256, manifest, origin, store).ok) return origin;
  throw new RuntimeError(
    'not-verified',
    'The store says that this app comes from another store, but both did not sign it.',
    { detail: { appId } },
  );
}
