import type { RevocationHead } from '@svc/contracts';
import {
  type AcceptedList,
  entriesHashOf,
  type KeyRing,
  verifyRevocationHead,
  verifyRevocationList,
} from '@svc/signing';
import { lastListOf } from '../library/app-table.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { type RefusalCode, RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { requireSigner, type StoreKeys } from '../store/store-keys.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { requireNext, type VerifiedList } from './accept-list.ts';
import { createSegments, heldSegment } from './segments.ts';

/** How long a store that does not serve its list in parts is not asked for that again, in milliseconds. */
const WHOLE_MS = 24 * 3_600_000;

const UNSIGNED = 'The revocation list is not signed by the key of the store.';

/** A list that may replace the last accepted one. */
export type FetchedList = {
  list: VerifiedList;
  /** In which form it came, and the ETag with which the store served that. */
  form: 'head' | 'whole';
  tag: string | null;
  /** Call it once the list was accepted: it is not fetched again while the store serves the same. A refused list is. */
  accepted(): void;
};

export type ListReaderDeps = {
  system: Pick<System, 'now'>;
  reader: Pick<StoreReader, 'revocationHeadSince' | 'revocationsSince' | 'revocationSegment'>;
  /** The hash of the entries of the last accepted list, which are not fetched again; null to fetch them. */
  lastHash(): string | null;
  /** The text of a segment of the last accepted list; null for any other. */
  held(sha256: string): string | null;
  /** Requires that a list may replace the last accepted one. @throws an error with the code `rolled-back` */
  requireNext(next: AcceptedList): void;
  /** The id of the current key of the store, if it signed. @throws an error with the code `not-verified` */
  signer(isSigned: (ring: KeyRing) => boolean, signal?: AbortSignal): Promise<string>;
};

/** What a reader of lists remembers between two of them. */
export type ListReaderState = {
  /** The ETag of the last accepted list in the form in which it came; none after a list of that form that is not accepted yet. */
  tags: { head: string | null; whole: string | null };
  /** Until when the list in parts is not asked for: the store has none. In milliseconds since 1970. */
  wholeUntil: number;
};

export const freshState = (): ListReaderState => ({
  tags: { head: null, whole: null },
  wholeUntil: Number.NEGATIVE_INFINITY,
});

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
  if (!(error instanceof RuntimeError))
    return FAULTS.has((error as { code?: RefusalCode } | null)?.code as RefusalCode);
  return error.detail.retryAfter === undefined && (FAULTS.has(error.code) || error.detail.invalid === true);
}

const isMissing = (error: unknown): boolean =>
  error instanceof RuntimeError && error.detail.code === 'not_found';

/**
 * Fetches the revocation list of a store: what is new of it where the store serves it in parts, otherwise the whole. Both have one
 * time and one hash, so that neither can pass for another list than the other.
 */
export function createListReader(
  { system, reader, lastHash, held, requireNext: requireNextList, signer }: ListReaderDeps,
  state: ListReaderState = freshState(),
) {
  const segments = createSegments(held, reader, system);

  const fetchedAs = (
    form: keyof ListReaderState['tags'],
    tag: string | null,
    list: VerifiedList,
  ): FetchedList => ({
    ...{ list, form, tag },
    accepted() {
      segments.clear();
      state.tags = { head: null, whole: null, [form]: tag };
    },
  });

  /** The entries of a list; those of the last accepted one are not fetched. */
  const entriesOf = async (head: RevocationHead, signal?: AbortSignal) =>
    lastHash() === head.list ? { entries: null, segments: null } : segments.of(head, signal);

  async function byHead(signal?: AbortSignal): Promise<FetchedList | null> {
    const fresh = await reader.revocationHeadSince(state.tags.head, signal).catch((error: unknown) => {
      if (isMissing(error)) state.wholeUntil = system.now() + WHOLE_MS;
      throw error;
    });
    if (!fresh) return null;
    state.tags = { ...state.tags, head: null };
    const { head, tag } = fresh;
    const keyId = await signer((ring) => verifyRevocationHead(head, ring), signal);
    const next = { signedAt: head.signedAt, entriesHash: head.list, keyId };
    // Before anything is fetched that a head of the past asks for.
    requireNextList(next);
    return fetchedAs('head', tag, { ...next, ...(await entriesOf(head, signal)) });
  }

  async function whole(signal?: AbortSignal): Promise<FetchedList | null> {
    const fresh = await reader.revocationsSince(state.tags.whole, signal);
    if (!fresh) return null;
    state.tags = { ...state.tags, whole: null };
    const { list, tag } = fresh;
    const keyId = await signer((ring) => verifyRevocationList(list, ring), signal);
    const { entries, signedAt } = list;
    const next = { signedAt, entriesHash: entriesHashOf(list), keyId };
    return fetchedAs('whole', tag, { ...next, entries, segments: null });
  }

  /**
   * Fetches the list.
   * @returns null while the store serves the last accepted one
   * @throws what `signer` and `requireNext` throw, and as the reader
   */
  return async (signal?: AbortSignal): Promise<FetchedList | null> => {
    if (system.now() < state.wholeUntil) return whole(signal);
    try {
      return await byHead(signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isWorthWhole(error)) throw error;
      return whole(signal);
    }
  };
}

export type ListSourceDeps = {
  system: Pick<System, 'now'>;
  storage: Pick<LibraryStorage, 'database'>;
  reader: StoreReader;
  keys: StoreKeys;
};

/** Fetches the revocation list of the store of a client. */
export function createListSource({ system, storage: { database }, reader, keys }: ListSourceDeps) {
  const { store } = reader;
  return createListReader({
    ...{ system, reader },
    lastHash: () => lastListOf(database, store)?.entriesHash ?? null,
    held: (sha256) => heldSegment(database, store, sha256),
    requireNext(next) {
      requireNext(database, store, next);
    },
    signer: (isSigned, signal) => requireSigner(keys, isSigned, UNSIGNED, signal),
  });
}
