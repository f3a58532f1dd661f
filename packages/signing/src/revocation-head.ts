import { type RevocationEntry, RevocationHead, type RevocationList } from '@svc/contracts';
import { signJson, verifyJsonSignature } from './json-signature.ts';
import type { KeyRing, SigningKey } from './keys.ts';
import { entriesHashOf, inListOrder } from './revocations.ts';

/**
 * Signs a revocation list in parts. The signed fields are those of no other statement: a head is no list, and a list is no head.
 * @param list the whole list, whose time the head has
 * @param parts its segments by their hash, and the entries that are in none; `list` where its hash is known (`entriesHashOf`)
 */
export function signRevocationHead(
  list: RevocationList,
  {
    segments,
    open,
    list: hash = entriesHashOf(list),
  }: Pick<RevocationHead, 'segments' | 'open'> & Partial<Pick<RevocationHead, 'list'>>,
  key: SigningKey,
): RevocationHead {
  const signed = { list: hash, segments, open, signedAt: list.signedAt };
  return { ...signed, signature: signJson(signed, key) };
}

/** Whether a value is the head of a revocation list without unknown fields, signed by one of the pinned keys. */
export function verifyRevocationHead(head: unknown, keys: KeyRing): head is RevocationHead {
  const parsed = RevocationHead.safeParse(head);
  if (!parsed.success) return false;
  const { signature, ...signed } = parsed.data;
  return [...keys.values()].some((key) => verifyJsonSignature(signed, signature, key));
}

/** The hash of the whole list by its entries in any order: what `list` of its head must be. */
export const listHashOf = (entries: readonly RevocationEntry[]): string =>
  entriesHashOf({ entries: entries.toSorted(inListOrder) });
