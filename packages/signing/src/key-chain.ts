import { createPublicKey } from 'node:crypto';
import { type PublicKey, PublicKeys, type StoreKey } from '@svc/contracts';
import { signJson, verifyJsonSignature } from './json-signature.ts';
import { readPublicKey, type SigningKey } from './keys.ts';

/** Why a client that pinned a key refuses a list of keys. */
type ChainRefusal = 'malformed' | 'not-pinned' | 'broken';

export type KeyChain =
  /** The pinned key and those after it, the current one last. */
  { ok: true; keys: StoreKey[] } | { ok: false; refusal: ChainRefusal; message: string };

const MESSAGES: Record<ChainRefusal, string> = {
  malformed: 'The list of keys is malformed.',
  'not-pinned': 'The pinned key is not among the keys of the store.',
  broken: 'A key of the store is not signed by the previous key, or is listed twice.',
};

const refuse = (refusal: ChainRefusal): KeyChain => ({ ok: false, refusal, message: MESSAGES[refusal] });

/**
 * The object that a key signs for its successor. Its field names differ from those of facts and revocation lists, so that a
 * signature for one kind is never valid for another. `since` binds the creation time of the older key.
 */
const handover = (next: Pick<StoreKey, 'keyId' | 'publicKeyPem' | 'createdAt'>, last: StoreKey) => ({
  at: next.createdAt,
  keyId: next.keyId,
  publicKeyPem: next.publicKeyPem,
  since: last.createdAt,
  successorOf: last.keyId,
});

/**
 * Appends the next key to a chain, signed by the current key.
 * @param keys the chain so far, oldest first; its last key is that of `signer`
 * @param at when the next key replaces the current one, ISO 8601 in UTC
 * @returns the chain with the next key at its end
 * @throws TypeError when the chain does not end with the key of `signer`, `at` is not later than the creation of that key, or
 *   the next key was already used
 */
export function appendKey(
  keys: readonly StoreKey[],
  signer: SigningKey,
  next: PublicKey,
  at: string,
): StoreKey[] {
  const last = keys.at(-1);
  if (last?.keyId !== signer.keyId) throw new TypeError('Only the current key can sign its successor.');
  if (at <= last.createdAt)
    throw new TypeError(`The current key was created at ${last.createdAt}, which is not before ${at}.`);
  if (keys.some(({ publicKeyPem }) => publicKeyPem === next.publicKeyPem))
    throw new TypeError('The store already used this key: create a new one.');
  const named = { keyId: next.keyId, publicKeyPem: next.publicKeyPem, createdAt: at };
  const signature = signJson(handover(named, last), signer);
  return [...keys.slice(0, -1), { ...last, retiredAt: at }, { ...named, successorOf: last.keyId, signature }];
}

/** A public key in canonical PEM, which signatures cover, with its computed id. */
function canonical(pem: string): PublicKey {
  const { keyId, publicKey } = readPublicKey(pem);
  return { keyId, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string };
}

/** Whether a key is in canonical PEM, under its own id. */
function isCanonical({ keyId, publicKeyPem }: PublicKey): boolean {
  try {
    const own = canonical(publicKeyPem);
    return own.keyId === keyId && own.publicKeyPem === publicKeyPem;
  } catch {
    return false;
  }
}

function follows(next: StoreKey, last: StoreKey): boolean {
  const { createdAt, successorOf, signature } = next;
  if (signature === undefined || successorOf !== last.keyId) return false;
  if (createdAt <= last.createdAt || last.retiredAt !== createdAt) return false;
  return verifyJsonSignature(handover(next, last), signature, createPublicKey(last.publicKeyPem));
}

/**
 * Whether the keys are one unbroken chain: the first has no predecessor, and the last is not retired. A retired key must
 * not occur again: a client that pinned it would loop.
 */
function isChain(keys: readonly StoreKey[]): boolean {
  const [first] = keys;
  if (new Set(keys.map(({ publicKeyPem }) => publicKeyPem)).size < keys.length) return false;
  if (first?.successorOf !== undefined || first?.signature !== undefined) return false;
  if (keys.at(-1)?.retiredAt !== undefined) return false;
  return keys.slice(1).every((key, index) => follows(key, keys[index] as StoreKey));
}

/**
 * Returns the keys that a client with a pinned key may trust: the pinned key, and each later one, which its predecessor signed. Keys
 * older than the pinned one are not trusted: anyone can create a key and sign a successor with it. A list with any error
 * is refused as a whole.
 * @param pinned the key the client trusts
 * @param keys the keys of a store, oldest first, as `GET /api/apps/public-keys` returns them; untrusted, may be any value
 */
export function verifyKeyChain(pinned: Pick<PublicKey, 'publicKeyPem'>, keys: unknown): KeyChain {
  const parsed = PublicKeys.shape.keys.safeParse(keys);
  if (!parsed.success || !parsed.data.every(isCanonical)) return refuse('malformed');
  // Compare the key itself: an id is only a part of its hash.
  const { publicKeyPem } = canonical(pinned.publicKeyPem);
  const at = parsed.data.findIndex((key) => key.publicKeyPem === publicKeyPem);
  if (at < 0) return refuse('not-pinned');
  if (!isChain(parsed.data)) return refuse('broken');
  return { ok: true, keys: parsed.data.slice(at) };
}
