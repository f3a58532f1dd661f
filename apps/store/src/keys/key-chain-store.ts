import type { Manifest, StoreKey } from '@svc/contracts';
import type { VersionRef } from '../domain/versions/version-store.ts';

/** A published or yanked version, as it is signed. */
export type SignedVersion = VersionRef & { sha256: string; publishedAt: string; manifest: Manifest };

/** What the database knows of the keys that the store signs with. */
export interface KeyChainStore {
  /** The chain of public keys, oldest first; null in a database that no key was recorded in yet. */
  known(): Promise<StoreKey[] | null>;
  /** Records a chain in place of the one before. */
  record(keys: readonly StoreKey[]): Promise<void>;
  /** The ids of all keys that signed a version. */
  signers(): Promise<string[]>;
  /** Signed versions that follow a version, in the order of app and version. */
  signedAfter(ref: VersionRef | null, limit: number): Promise<SignedVersion[]>;
  /** Replaces the signature of a version. */
  replaceSignature(ref: VersionRef, seal: { signature: string; keyId: string }): Promise<void>;
}
