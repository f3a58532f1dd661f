import { createPublicKey } from 'node:crypto';
import { type PublicKey, PublicKeys, type StoreKey } from '@svc/contracts';
import { signJson, verifyJsonSignature } from './json-signature.ts';
import { isForeignKeyId, readPublicKey, type SigningKey } from './keys.ts';

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

/** A public key in canonical PEM, which signatures cover, with its computed id. @throws TypeError for a text that is not such a key */
export function canonicalKey(pem: string): PublicKey {
  const { keyId, publicKey } = readPublicKey(pem);
  return { keyId, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string };
}

/** Whether a key is in canonical PEM, under its own id. */
function isCanonical({ keyId, publicKeyPem }: PublicKey): boolean {
  try {
    const own = canonicalKey(publicKeyPem);
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
  const { publicKeyPem } = canonicalKey(pinned.publicKeyPem);
  const at = parsed.data.findIndex((key) => key.publicKeyPem === publicKeyPem);
  if (at < 0) return refuse('not-pinned');
  if (!isChain(parsed.data)) return refuse('broken');
  return { ok: true, keys: parsed.data.slice(at) };
}

/** The keys of a store that a reader of it trusts, oldest first, or why it trusts none of those that the store lists. */
export type TrustedKeys = { ok: true; keys: PublicKey[] } | { ok: false; message: string };

const distrust = (message: string): TrustedKeys => ({ ok: false, message });

const bare = ({ keyId, publicKeyPem }: PublicKey): PublicKey => ({ keyId, publicKeyPem });

/** The same key, if it can be read. */
function isSameKey(a: PublicKey, b: PublicKey): boolean {
  try {
    return canonicalKey(a.publicKeyPem).publicKeyPem === canonicalKey(b.publicKeyPem).publicKeyPem;
  } catch {
    return false;
  }
}

function chainFrom(trusted: PublicKey, listed: readonly PublicKey[]): TrustedKeys {
  const [only] = listed;
  if (listed.length === 1 && only && isSameKey(only, trusted)) return { ok: true, keys: [trusted] };
  const chain = verifyKeyChain(trusted, listed);
  if (!chain.ok) return distrust(`${chain.message} This may not be the same store.`);
  return { ok: true, keys: chain.keys.map(bare) };
}

/** The keys of a store on first use: those that it lists, if they are one chain. @param listed oldest first; untrusted */
export function firstKeys(listed: readonly PublicKey[]): TrustedKeys {
  const [first] = listed;
  try {
    const own = first && canonicalKey(first.publicKeyPem);
    if (own && (own.keyId === first.keyId || isForeignKeyId(first.keyId))) return chainFrom(own, listed);
  } catch {
    // Not a key.
  }
  return distrust('The key of the store does not match its id.');
}

/**
 * The trusted keys of a store, with the successors that it lists.
 * @param trusted oldest first, at least one
 * @param listed what the store lists, oldest first; untrusted
 */
export function followKeys(trusted: readonly PublicKey[], listed: readonly PublicKey[]): TrustedKeys {
  const newest = trusted.at(-1);
  if (!newest) return firstKeys(listed);
  const chain = chainFrom(newest, listed);
  if (!chain.ok) return chain;
  const successors = chain.keys.slice(1);
  // A list that starts later than ours could lead back to a key that was retired before its start.
  const isReused = successors.some(({ publicKeyPem }) =>
    trusted.some((key) => key.publicKeyPem === publicKeyPem),
  );
  if (isReused) return distrust('The store uses a retired key again. This may not be the same store.');
  return { ok: true, keys: [...trusted, ...successors] };
}
