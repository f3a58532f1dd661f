import { createPublicKey } from 'node:crypto';
import { type PublicKey, PublicKeys, type StoreKey } from '@svc/contracts';
import { readPublicKey, type SigningKey } from './keys.ts';
import { sealHolds, sealJson } from './seal.ts';

/** Why a list of keys says nothing to a client that pinned a key. */
type ChainRefusal = 'malformed' | 'not-pinned' | 'broken';

export type KeyChain =
  /** The pinned key and those after it, the current one last. */
  { ok: true; keys: StoreKey[] } | { ok: false; refusal: ChainRefusal; message: string };

const MESSAGES: Record<ChainRefusal, string> = {
  malformed: 'The list of keys is not well formed.',
  'not-pinned': 'The pinned key is not among the keys of the store.',
  broken: 'A key of the store is not signed by the key before it, or is listed twice.',
};

const refuse = (refusal: ChainRefusal): KeyChain => ({ ok: false, refusal, message: MESSAGES[refusal] });

/**
 * What a key says of its successor. Neither facts nor a revocation list has these keys, so that one signature can never
 * pass for another; `since` binds the older key's own beginning.
 */
const handover = (next: Pick<StoreKey, 'keyId' | 'publicKeyPem' | 'createdAt'>, last: StoreKey) => ({
  at: next.createdAt,
  keyId: next.keyId,
  publicKeyPem: next.publicKeyPem,
  since: last.createdAt,
  successorOf: last.keyId,
});

/**
 * Hands over from the current key to the next one.
 * @param keys the chain so far, oldest first; its last key is that of `signer`
 * @param at when the next key takes over, ISO 8601 in UTC
 * @returns the chain with the next key at its end
 * @throws TypeError when the chain does not end in the key of `signer`, `at` is not later than its beginning, or the next key
 *   is one that the store had before
 */
export function appendKey(
  keys: readonly StoreKey[],
  signer: SigningKey,
  next: PublicKey,
  at: string,
): StoreKey[] {
  const last = keys.at(-1);
  if (last?.keyId !== signer.keyId) throw new TypeError('Only the current key can name its successor.');
  if (at <= last.createdAt)
    throw new TypeError(`The current key begins at ${last.createdAt}, which is not before ${at}.`);
  if (keys.some(({ publicKeyPem }) => publicKeyPem === next.publicKeyPem))
    throw new TypeError('The next key is one that the store had before; make a new one.');
  const named = { keyId: next.keyId, publicKeyPem: next.publicKeyPem, createdAt: at };
  const signature = sealJson(handover(named, last), signer);
  return [...keys.slice(0, -1), { ...last, retiredAt: at }, { ...named, successorOf: last.keyId, signature }];
}

/** A public key in the one spelling of PEM that signatures cover, with its computed id. */
function canonical(pem: string): PublicKey {
  const { keyId, publicKey } = readPublicKey(pem);
  return { keyId, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string };
}

function supportsIss({ keyId, publicKeyPem }: PublicKey): boolean {
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
  return sealHolds(handover(next, last), signature, createPublicKey(last.publicKeyPem));
}

/**
 * Whether keys are one unbroken chain: a first key that follows nothing, and a last one that is not retired. A key that was
 * retired never comes back: a client that pinned it would go round for ever.
 */
function isChain(keys: readonly StoreKey[]): boolean {
  const [first] = keys;
  if (new Set(keys.map(({ publicKeyPem }) => publicKeyPem)).size < keys.length) return false;
  if (first?.successorOf !== undefined || first?.signature !== undefined) return false;
  if (keys.at(-1)?.retiredAt !== undefined) return false;
  return keys.slice(1).every((key, index) => follows(key, keys[index] as StoreKey));
}

/**
 * The keys that a client who pinned one may trust: the pinned key, and each that was signed by the one before it. Keys
 * older than the pinned one are not among them, as anybody can make a key that claims a successor. A list with any fault
 * is refused whole.
 * @param pinned the key the client trusts
 * @param keys the keys of a store, oldest first, as `GET /api/apps/public-keys` lists them; any value may be handed in
 */
export function verifyKeyChain(pinned: Pick<PublicKey, 'publicKeyPem'>, keys: unknown): KeyChain {
  const parsed = PublicKeys.shape.keys.safeParse(keys);
  if (!parsed.success || !parsed.data.every(supportsIss)) return refuse('malformed');
  // By the key itself: an id is but a part of its hash.
  const { publicKeyPem } = canonical(pinned.publicKeyPem);
  const at = parsed.data.findIndex((key) => key.publicKeyPem === publicKeyPem);
  if (at < 0) return refuse('not-pinned');
  if (!isChain(parsed.data)) return refuse('broken');
  return { ok: true, keys: parsed.data.slice(at) };
}
