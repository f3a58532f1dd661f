import { createHash } from 'node:crypto';
import { RevocationEntry, RevocationList } from '@svc/contracts';
import { canonicalJson } from './canonical-json.ts';
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

/** What a client remembers of a list it accepted: the time, the entries by their hash, and the key that signed it. */
export type AcceptedList = { signedAt: string; entriesHash: string; keyId: string };

/** The SHA-256 of the canonical JSON (RFC 8785) of the entries, in hex. */
export const entriesHashOf = ({ entries }: Pick<RevocationList, 'entries'>): string =>
  createHash('sha256').update(canonicalJson(entries)).digest('hex');

/**
 * Whether a verified list may replace the one that was accepted last. Under one key a later time must come with it, or the
 * same time with the same entries: the store gives every change a later time. A list by another key always may: a client
 * accepts lists of the newest key alone, so that one is a successor. This is how a store whose clock was ahead returns to
 * the right time.
 */
export function mayReplace(next: AcceptedList, last: AcceptedList | null): boolean {
  if (last === null || next.keyId !== last.keyId || next.signedAt > last.signedAt) return true;
  return next.signedAt === last.signedAt && next.entriesHash === last.entriesHash;
}
