import { createPublicKey } from 'node:crypto';
import type { StoreKey } from '@svc/contracts';
import { type Checkpoint, type NoteKey, noteKey, openCheckpoint } from '@svc/log';
import type { SigningKey } from '@svc/signing';

/** The origin of the log of a store: its address without the scheme (tlog-tiles, "Parameters"). */
const originOf = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, '');

/** Who the log is: its origin, and the keys that signed for it. */
export type OwnLog = { origin: string; current: NoteKey; all: readonly NoteKey[] };

/** The log of a store. The store signs checkpoints with its signing key: everything else that this key signs begins with `{`. */
export function ownLog({
  baseUrl,
  signingKey,
  keyChain,
}: {
  baseUrl: string;
  signingKey: SigningKey;
  keyChain: readonly StoreKey[];
}): OwnLog {
  const origin = originOf(baseUrl);
  const keyOf = (pem: string) => noteKey(origin, createPublicKey(pem));
  const current = keyOf(signingKey.publicKeyPem);
  const older = keyChain.map(({ publicKeyPem }) => keyOf(publicKeyPem));
  return { origin, current, all: [current, ...older.filter(({ keyId }) => keyId !== current.keyId)] };
}

/** Opens a checkpoint that this store signed, with any of its keys; null for another text. */
export const openOwn = (note: string, { origin, all }: OwnLog): Checkpoint | null =>
  openCheckpoint(note, origin, all);
