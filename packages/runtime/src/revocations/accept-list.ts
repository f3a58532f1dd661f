import type { DatabaseSync } from 'node:sqlite';
import type { RevocationEntry } from '@svc/contracts';
import { type AcceptedList, mayReplace } from '@svc/signing';
import { holdWithdrawals, lastListOf, writeWithdrawals } from '../library/app-table.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { newestKeyId } from '../store/store-keys.ts';
import { keepSegments, type Segments } from './segments.ts';

/** A list that the current key of the store signed, whole or by its head. */
export type VerifiedList = AcceptedList & {
  /** Null for those of the last accepted list. */
  entries: readonly RevocationEntry[] | null;
  /** The segments of the list; null for those of the last one. */
  segments: Segments | null;
};

/** The last accepted list; earlier versions of the runtime stored only its time. */
function lastAccepted(database: DatabaseSync, store: string, next: AcceptedList): AcceptedList | null {
  const last = lastListOf(database, store);
  if (!last) return null;
  const { signedAt, entriesHash, keyId } = last;
  return { signedAt, entriesHash: entriesHash ?? next.entriesHash, keyId: keyId ?? next.keyId };
}

/**
 * Requires that a signed list may replace the last accepted one.
 * @returns the last accepted one; null when there is none
 * @throws RuntimeError `rolled-back` when it is older than the last accepted list, or has the same time with other entries
 */
export function requireNext(database: DatabaseSync, store: string, next: AcceptedList): AcceptedList | null {
  const last = lastAccepted(database, store, next);
  // Another process may have stored a newer key in the meantime.
  if (newestKeyId(database, store) === next.keyId && mayReplace(next, last)) return last;
  const detail = { signedAt: next.signedAt, last: last?.signedAt ?? null };
  throw new RuntimeError('rolled-back', undefined, { detail });
}

/**
 * Accepts a revocation list, and switches off the versions on it, in this process also if the list cannot be stored; what a yank
 * that was undone had switched off is on again.
 * @returns false when another process has accepted a list with other entries since, and this one came without: fetch it again
 * @throws the errors of the disk; RuntimeError `rolled-back` as `requireNext`
 */
export function acceptList(
  {
    system,
    storage: { database, transact },
    store,
  }: { system: Pick<System, 'now'>; storage: LibraryStorage; store: string },
  { entries, segments, ...next }: VerifiedList,
): boolean {
  try {
    return transact(() => {
      const last = requireNext(database, store, next);
      if (!entries && last?.entriesHash !== next.entriesHash) return false;
      const isSame = last?.signedAt === next.signedAt && last.keyId === next.keyId;
      const acceptedAt = isSame ? (lastListOf(database, store)?.acceptedAt ?? null) : system.now();
      writeWithdrawals(database, { store, now: system.now() }, entries, { ...next, acceptedAt });
      if (segments) keepSegments(database, store, segments);
      return true;
    });
  } catch (error) {
    if (!(error instanceof RuntimeError)) {
      requireNext(database, store, next);
      holdWithdrawals(database, store, entries);
    }
    throw error;
  }
}
