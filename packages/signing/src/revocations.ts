import { RevocationEntry, RevocationList } from '@svc/contracts';
import type { KeyRing, SigningKey } from './keys.ts';
import { sealHolds, sealJson } from './seal.ts';

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const inOrder = (a: RevocationEntry, b: RevocationEntry): number =>
  byCodeUnit(a.appId, b.appId) || byCodeUnit(a.version, b.version) || byCodeUnit(a.at, b.at);

/**
 * Signs the list of withdrawn versions.
 * @param signedAt ISO 8601 in UTC
 * @throws ZodError when an entry has a key it should not have
 */
export function signRevocations(
  entries: readonly RevocationEntry[],
  signedAt: string,
  key: SigningKey,
): RevocationList {
  const signed = { entries: entries.map((entry) => RevocationEntry.parse(entry)).sort(inOrder), signedAt };
  return { ...signed, signature: sealJson(signed, key) };
}

/** Whether a list has exactly its own keys and is signed by one of the pinned keys. Any value may be handed in. */
export function revocationsHold(list: unknown, keys: KeyRing): list is RevocationList {
  const parsed = RevocationList.safeParse(list);
  if (!parsed.success) return false;
  const { signature, ...signed } = parsed.data;
  return [...keys.values()].some((key) => sealHolds(signed, signature, key));
}
