import type { RevocationHead } from '@svc/contracts';
import { entriesHashOf, verifyRevocationHead, verifyRevocationList } from '@svc/signing';
import { lastListOf } from '../library/app-table.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { type RefusalCode, RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { requireSigner, type StoreKeys } from '../store/store-keys.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { requireNext, type VerifiedList } from './accept-list.ts';
import { createSegments } from './segments.ts';

/** How long a store that does not serve its list in parts is not asked for that again, in milliseconds. */
const WHOLE_MS = 24 * 3_600_000;

const UNSIGNED = 'The revocation list is not signed by the key of the store.';

/** A list that may replace the last accepted one. */
export type FetchedList = {
  list: VerifiedList;
  /** Call it once the list was accepted: it is not fetched again while the store serves the same. A refused list is. */
  accepted(): void;
};

export type ListSourceDeps = {
  system: Pick<System, 'now'>;
  storage: Pick<LibraryStorage, 'database'>;
  reader: StoreReader;
  keys: StoreKeys;
};

/** Why the list in parts may be invalid, or missing, while the whole one is valid. */
const FAULTS: ReadonlySet<RefusalCode> = new Set([
  'not-verified',
  'rolled-back',
  'store-refused',
  'too-large',
  'too-slow',
]);

/** Whether the whole list is worth a request: the store answered, and does not ask to wait. */
function isWorthWhole(error: unknown): boolean {
  if (!(error instanceof RuntimeError) || error.detail.retryAfter !== undefined) return false;
  return FAULTS.has(error.code) || error.detail.invalid === true;
}

const isMissing = (error: unknown): boolean =>
  error instanceof RuntimeError && error.code === 'store-refused' && error.detail.code === 'not_found';

/**
 * Fetches the revocation list of a store: what is new of it where the store serves it in parts, otherwise the whole. Both have one
 * time and one hash, so that neither can pass for another list than the other.
 */
export function createListSource({ system, storage, reader, keys }: ListSourceDeps) {
  const { database } = storage;
  const { store } = reader;
  const segments = createSegments(database, reader, system);
  /** The ETag of the last accepted list in the form in which it came; none after a list of that form that is not accepted yet. */
  let tags: { head: string | null; whole: string | null } = { head: null, whole: null };
  let wholeUntil = Number.NEGATIVE_INFINITY;

  const fetchedAs = (form: keyof typeof tags, tag: string | null, list: VerifiedList): FetchedList => ({
    list,
    accepted() {
      segments.clear();
      tags = { head: null, whole: null, [form]: tag };
    },
  });

  /** The entries of a list; those of the last accepted one are not fetched. */
  async function entriesOf(head: RevocationHead, signal?: AbortSignal) {
    const isSame = lastListOf(database, store)?.entriesHash === head.list;
    return isSame ? { entries: null, segments: null } : segments.of(head, signal);
  }

  async function byHead(signal?: AbortSignal): Promise<FetchedList | null> {
    const fresh = await reader.revocationHeadSince(tags.head, signal).catch((error: unknown) => {
      if (isMissing(error)) wholeUntil = system.now() + WHOLE_MS;
      throw error;
    });
    if (!fresh) return null;
    tags = { ...tags, head: null };
    const { head, tag } = fresh;
    const keyId = await requireSigner(keys, (ring) => verifyRevocationHead(head, ring), UNSIGNED, signal);
    const next = { signedAt: head.signedAt, entriesHash: head.list, keyId };
    // Before anything is fetched that a head of the past asks for.
    requireNext(database, store, next);
    return fetchedAs('head', tag, { ...next, ...(await entriesOf(head, signal)) });
  }

  async function whole(signal?: AbortSignal): Promise<FetchedList | null> {
    const fresh = await reader.revocationsSince(tags.whole, signal);
    if (!fresh) return null;
    tags = { ...tags, whole: null };
    const { list, tag } = fresh;
    const keyId = await requireSigner(keys, (ring) => verifyRevocationList(list, ring), UNSIGNED, signal);
    const { entries, signedAt } = list;
    const next = { signedAt, entriesHash: entriesHashOf(list), keyId };
    return fetchedAs('whole', tag, { ...next, entries, segments: null });
  }

  /**
   * Fetches the list.
   * @returns null while the store serves the last accepted one
   * @throws RuntimeError `not-verified` when the current key of the store did not sign it, and as the reader
   */
  return async (signal?: AbortSignal): Promise<FetchedList | null> => {
    if (system.now() < wholeUntil) return whole(signal);
    try {
      return await byHead(signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isWorthWhole(error)) throw error;
      return whole(signal);
    }
  };
}
