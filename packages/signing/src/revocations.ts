import { createHash } from 'node:crypto';
import { byCodeUnit, RevocationEntry, RevocationList } from '@svc/contracts';
import { canonicalJson, signJson, verifyJsonSignature } from './json-signature.ts';
import type { KeyRing, SigningKey } from './keys.ts';

/** The order of the entries of a list. */
export const inListOrder = (a: RevocationEntry, b: RevocationEntry): number =>
  byCodeUnit(a.appId, b.appId) || byCodeUnit(a.version, b.version) || byCodeUnit(a.at, b.at);

/**
 * Signs the list of yanked versions.
 * @param signedAt ISO 8601 in UTC
 * @throws ZodError when an entry has an unknown field
 */
export function signRevocations(
  entries: readonly RevocationEntry[],
  signedAt: string,
  key: SigningKey,
): RevocationList {
  const signed = {
    entries: entries.map((entry) => RevocationEntry.parse(entry)).sort(inListOrder),
    signedAt,
  };
  return { ...signed, signature: signJson(signed, key) };
}

/** Whether a value is a revocation list without unknown fields, signed by one of the pinned keys. */
export function verifyRevocationList(list: unknown, keys: KeyRing): list is RevocationList {
  const parsed = RevocationList.safeParse(list);
  if (!parsed.success) return false;
  const { signature, ...signed } = parsed.data;
  return [...keys.values()].some((key) => verifyJsonSignature(signed, signature, key));
}

/** What a client stores about the last accepted list: the time, the hash of the entries, and the signing key. */
export type AcceptedList = { signedAt: string; entriesHash: string; keyId: string };

/** Returns the SHA-256 of the canonical JSON (RFC 8785) of the entries, in hex. */
export const entriesHashOf = ({ entries }: Pick<RevocationList, 'entries'>): string =>
  createHash('sha256').update(canonicalJson(entries)).digest('hex');

/**
 * Whether a verified list may replace the last accepted one. With the same key, its time must be later, or equal with the
 * same entries: the store gives every change a later time. A list by another key is always accepted: a client
 * only accepts lists of the newest key, so the other key is a successor. This lets a store whose clock was ahead return to
 * the correct time.
 */
export function mayReplace(next: AcceptedList, last: AcceptedList | null): boolean {
  if (last === null || next.keyId !== last.keyId || next.signedAt > last.signedAt) return true;
  return next.signedAt === last.signedAt && next.entriesHash === last.entriesHash;
}
