import { createHash } from 'node:crypto';
import {
  type FileStatement,
  type MirrorAnswer,
  MirrorRoot,
  type PublicKey,
  type StoreKey,
} from '@svc/contracts';
import { signFile, verifyFile } from './file-statement.ts';
import { followKeys, type TrustedKeys } from './key-chain.ts';
import { keyRing, type SigningKey } from './keys.ts';

/** The name under which the index of a mirror is signed. */
const SIGNED_AS = 'mirror-index';

/** The kinds of files of a mirror, which are the ends of their names. */
export type MirrorKind = Extract<MirrorAnswer['body'], { kind: string }>['kind'] | 'bin';

/** The path of a file of a mirror by the hash of its content: what it names never changes. */
export const mirrorPath = (sha256: string, kind: MirrorKind): string =>
  `objects/${sha256.slice(0, 2)}/${sha256}.${kind}`;

/** The part of a mirror in which an app is. @param count the number of parts */
export const mirrorPart = (appId: string, count: number): number =>
  createHash('sha256').update(appId).digest().readUInt32BE() % count;

/** The name under which the list of the files of an export is signed. */
const EXPORT_SIGNED_AS = 'upstream-export';

const rootOf =
  (name: string) =>
  (index: Uint8Array, readAt: string, keys: readonly StoreKey[], key: SigningKey): MirrorRoot => ({
    format: 1,
    keys: [...keys],
    index: signFile(name, index, readAt, key),
  });

/**
 * Signs the index of a mirror.
 * @param readAt when the mirror began to read the store, ISO 8601 in UTC
 */
export const signMirror = rootOf(SIGNED_AS);

/**
 * Signs the list of the files of an export, which carries apps of a store where no network does.
 * @param readAt when the export began to read that store, ISO 8601 in UTC
 */
export const signExport = rootOf(EXPORT_SIGNED_AS);

/**
 * The statement of a mirror's index, before the index itself is fetched.
 * @param text the content of `mirror.json`; untrusted
 * @returns null for a text that is none
 */
export function readMirrorRoot(text: string): MirrorRoot | null {
  try {
    return MirrorRoot.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Whether the current key of a store signed the index of a mirror.
 * @param trusted the keys of the store that a client trusts, oldest first, at least one
 * @param root the content of `mirror.json`; untrusted
 */
export function verifyMirror(
  index: Uint8Array,
  { keys, index: statement }: { keys: readonly StoreKey[]; index: FileStatement },
  trusted: readonly PublicKey[],
): boolean {
  return trusted.length > 0 && signersOf(SIGNED_AS, index, { keys, index: statement }, trusted).ok;
}

/** The trusted keys of a store with their successors, the last of which signed a file under a name. */
function signersOf(
  name: string,
  index: Uint8Array,
  { keys, index: statement }: { keys: readonly StoreKey[]; index: FileStatement },
  trusted: readonly PublicKey[],
): TrustedKeys {
  const followed = followKeys(trusted, keys);
  if (!followed.ok || verifyFile(name, index, statement, keyRing(followed.keys.slice(-1)))) return followed;
  return { ok: false, message: 'It is not signed by the current key of the store that made it.' };
}

/**
 * Verifies who signed an export.
 * @param sums the list of its files
 * @param root the content of `export.json`; untrusted
 * @param trusted the keys of the store that made it, oldest first, at least one
 * @returns those keys with their successors, the last of which signed it
 */
export const verifyExport = (
  sums: Uint8Array,
  root: { keys: readonly StoreKey[]; index: FileStatement },
  trusted: readonly PublicKey[],
): TrustedKeys => signersOf(EXPORT_SIGNED_AS, sums, root, trusted);
