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
  { origin, sha256, release: { appId, version } }: Pick<Download, 'origin' | 'sha256' | 'release'>,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<OriginStatement | undefined> {
  if (origin === undefined) return undefined;
  const signer = String((origin as Partial<OriginStatement> | null)?.keyId ?? '');
  const ring = await keys.forFacts(signer, signal);
  const isOfThis = (stated: OriginStatement) =>
    stated.appId === appId && stated.version === version && stated.sha256 === sha256;
  if (verifyOrigin(origin, ring) && isOfThis(origin) && verifyAtOrigin(sha256, manifest, origin, store).ok)
    return origin;
  throw new RuntimeError(
    'not-verified',
    'The store says that this app comes from another store, but both did not sign it.',
    { detail: { appId } },
  );
}
