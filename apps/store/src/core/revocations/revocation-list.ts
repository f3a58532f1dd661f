import type { RevocationEntry, RevocationList, StoreKey } from '@svc/contracts';
import { signRevocations } from '@svc/signing';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { Parts, Stores } from '../domain/parts/parts.ts';
import {
  createKeptList,
  createListReader,
  type KnownList,
  type ListReader,
  yankListed,
} from './kept-list.ts';
import { markOf, type RevocationStore } from './revocation-store.ts';

/** The age at which a list is signed again, in milliseconds: clients require one that is less than an hour old. */
const SIGN_AFTER_MS = 55 * 60_000;

/** How long a list is served before the database is checked for yanks that no list has yet, in milliseconds. */
const REFRESH_AFTER_MS = 30_000;

/** How long a list is served before the database is asked whether another process has signed a newer one, in milliseconds. */
const LOOK_AFTER_MS = 1_000;

/** The pause before a retry, in milliseconds: an acknowledged yank waits for it. */
const RETRY_MS = 1_000;

const MAX_TRIES = 5;

/** Yanks that this process or the copy of the list knows, and the database does not: it was replaced by an older copy. */
export type LostYanks = {
  /** The last list of the database. */
  database: { signedAt: string | null; entries: number };
  /** The newest list that was known. */
  known: { signedAt: string; entries: number };
  /** The versions whose yanks were restored. */
  yanks: readonly RevocationEntry[];
};

export type RevocationStores = Pick<Stores, 'versions' | 'listings' | 'audit'> & {
  revocations: RevocationStore;
};

export type RevocationDeps = Pick<Parts, 'signingKey' | 'clock' | 'log'> & {
  keyChain: readonly StoreKey[];
  unitOfWork: UnitOfWork<RevocationStores>;
  revocations: Pick<RevocationStore, 'lastMark'>;
  blobs: Pick<BlobStore, 'keptRecord' | 'keepRecord'>;
  /** Receives what an older database had lost, after it was restored. */
  onLostYanks(lost: LostYanks): void;
};

/** A list with a time further in the future than this, in milliseconds, was signed with a wrong clock; clocks of processes differ less. */
const AHEAD_MS = 5 * 60_000;

const nameOf = ({ appId, version }: RevocationEntry): string => `${appId} ${version}`;

/** The last list that this process has seen, and the time of the clock then. */
type Signed = { list: RevocationList; at: number };

/** Whether a list is old enough to be signed again. The time of a list from the future does not show its age. */
function isDue(last: RevocationList, now: number, signed: Signed | null): boolean {
  const age = now - Date.parse(last.signedAt);
  if (age >= -AHEAD_MS) return age >= SIGN_AFTER_MS;
  return signed === null || Math.abs(now - signed.at) >= SIGN_AFTER_MS;
}

/**
 * The time for the next list, later than that of every list this key signed, as clients refuse an older one: also when the clock was
 * set back, and within one millisecond. Lists of another key do not count: clients accept those of a successor with any time.
 */
function signingTime(now: number, lists: readonly (RevocationList | null)[]): string {
  const times = lists.flatMap((list) => (list ? [Date.parse(list.signedAt) + 1] : []));
  return new Date(Math.max(now, ...times)).toISOString();
}

/**
 * Entries of the known lists that stay although their versions are not yanked in the database, one of each version. An entry leaves the
 * list only when its yank is on record and was undone; a yank that is not on record was lost with a newer database.
 */
async function retainedEntries(
  revocations: RevocationStore,
  lists: readonly RevocationList[],
  yanked: readonly RevocationEntry[],
): Promise<RevocationEntry[]> {
  const known = new Set(yanked.map(nameOf));
  const entryOf = (entry: RevocationEntry) => `${nameOf(entry)} ${entry.at}`;
  const unknown = [...new Set(lists)].flatMap(({ entries }) =>
    entries.filter((entry) => !known.has(nameOf(entry))),
  );
  const others = [...new Map(unknown.map((entry) => [entryOf(entry), entry])).values()];
  const ended = new Set((await revocations.onRecord(others)).map(entryOf));
  const retained = others.filter((entry) => !ended.has(entryOf(entry)));
  const inOrder = retained.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [...new Map(inOrder.map((entry) => [nameOf(entry), entry])).values()];
}

const factsOf = ({ signedAt, entries }: RevocationList) => ({ signedAt, entries: entries.length });

/**
 * Compares the list of the database with the known ones.
 * @param yanks the entries that the database has no record of
 * @returns null when the database is not older
 */
function lostYanks(
  stored: RevocationList | null,
  last: KnownList | null,
  known: readonly KnownList[],
  yanks: readonly RevocationEntry[],
): LostYanks | null {
  const newest = known.map(({ list }) => list).sort((a, b) => (a.signedAt < b.signedAt ? 1 : -1))[0];
  if (!newest) return null;
  const isLater = ({ list, isCurrentKey }: KnownList) =>
    isCurrentKey && last?.isCurrentKey === true && list.signedAt > last.list.signedAt;
  if (stored !== null && yanks.length === 0 && !known.some(isLater)) return null;
  const database = stored ? factsOf(stored) : { signedAt: null, entries: 0 };
  return { database, known: factsOf(newest), yanks };
}

/** Whether two lists say the same, which have an order. */
const sameEntries = (some: readonly RevocationEntry[], others: readonly RevocationEntry[]): boolean =>
  some.length === others.length &&
  some.every((one, n) => {
    const other = others[n];
    return (
      one.appId === other?.appId &&
      one.version === other.version &&
      one.at === other.at &&
      one.reason === other.reason
    );
  });

type Tried = { list: RevocationList; text: string; lost: LostYanks | null };

/**
 * Tries to sign once, a list with the yanks of the database and of every known list; null when another process has signed in the
 * meantime, possibly with other entries. What an older database lost is restored in the same transaction.
 */
const tryToSign = (
  deps: RevocationDeps,
  reader: ListReader,
  { signed, copy }: { signed: Signed | null; copy: KnownList | null },
): Promise<Tried | null> =>
  deps.unitOfWork(async (stores) => {
    const { revocations } = stores;
    // The last list is read first: a process that replaces it has then also seen all of its entries.
    const storedText = await revocations.lastText();
    const { list: stored, known: last } =
      storedText === null ? { list: null, known: null } : reader.read(storedText);
    const known = [signed && { list: signed.list, isCurrentKey: true }, copy].filter((list) => list !== null);
    const all = last ? [last, ...known] : known;
    const current = all.filter(({ isCurrentKey }) => isCurrentKey).map(({ list }) => list);
    const now = deps.clock().getTime();
    const at = signingTime(now, current);
    const lists = all.map(({ list }) => list);
    const recorded = await revocations.yanked();
    const retained = await retainedEntries(revocations, lists, recorded);
    const restored = new Set((await yankListed(stores, retained)).map(nameOf));
    const isListed = new Set(retained.length > 0 ? stored?.entries.map(nameOf) : []);
    const yanks = retained.filter((entry) => restored.has(nameOf(entry)) || !isListed.has(nameOf(entry)));
    const lost = lostYanks(stored, last, known, yanks);
    const entries = [...recorded, ...retained];
    const fresh = signRevocations(entries, at, deps.signingKey);
    const isNewest =
      last?.isCurrentKey === true && current.every(({ signedAt }) => signedAt <= last.list.signedAt);
    const isSame = last !== null && sameEntries(last.list.entries, fresh.entries);
    if (storedText !== null && isNewest && isSame && !isDue(last.list, now, signed))
      return { list: last.list, text: storedText, lost };
    const text = JSON.stringify(fresh);
    if (!(await revocations.keep(text, storedText))) return null;
    reader.signed(text, fresh);
    return { list: fresh, text, lost };
  });

async function signCurrentList(...given: Parameters<typeof tryToSign>): Promise<Tried> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const tried = await tryToSign(...given);
    if (tried) return tried;
  }
  throw new Error('Other processes of the store keep signing the list at the same time.');
}

/**
 * Creates the cache of the signed revocation list. The list is signed again before it is an hour old, and after each change. When
 * signing fails, the last list is still served, and the error is logged.
 */
export function createRevocationList(deps: RevocationDeps) {
  let current: RevocationList | null = null;
  let signed: Signed | null = null;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshAfterMs = REFRESH_AFTER_MS;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let inProgress: Promise<void> | null = null;
  let following: Promise<void> | null = null;
  const reader = createListReader(deps.signingKey, deps.keyChain);
  const kept = createKeptList(deps.blobs, reader);
  let isWarned = false;

  /** Runs work with the copy of the list; null when it fails. It is retried at the next refresh: yanks do not wait for it. */
  async function withCopy(work: () => Promise<boolean>): Promise<boolean | null> {
    try {
      return await work();
    } catch (error) {
      if (!isWarned)
        deps.log.warn(
          { err: error },
          'The revocation list could not be copied to the bundle storage, or compared with its copy there; this will be retried.',
        );
      isWarned = true;
      return null;
    }
  }

  /** Records a list that is new to this process: the next one must be later. Logs an error when its time is in the future. */
  function record(list: RevocationList): void {
    const at = deps.clock().getTime();
    signed = { list, at };
    if (Date.parse(list.signedAt) - at <= AHEAD_MS) return;
    deps.log.error(
      { signedAt: list.signedAt },
      'The time of the revocation list is ahead of the clock: the clock was wrong then, or is wrong now. Correct the clock, and see docs/backup.md, Clocks, for how to correct the time of the list.',
    );
  }

  async function sign(): Promise<Pick<Tried, 'list' | 'text'>> {
    const { list, text, lost } = await signCurrentList(deps, reader, { signed, copy: kept.last() });
    if (list.signedAt !== current?.signedAt) record(list);
    if (lost) deps.onLostYanks(lost);
    current = list;
    return { list, text };
  }

  /** Compares the list with its copy, signs one with the entries of both if needed, and copies it. */
  async function signAndCopy(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const isRead = await withCopy(kept.read);
      const { list, text } = await sign();
      const isReplaced = isRead && (await withCopy(() => kept.replace(list, text)));
      if (isReplaced) isWarned = false;
      if (isReplaced !== false) return;
    }
  }

  async function refresh(): Promise<void> {
    try {
      await signAndCopy();
      refreshAfterMs = REFRESH_AFTER_MS;
    } catch (error) {
      deps.log.error(
        { err: error },
        'Signing the revocation list failed; the last signed list is still served.',
      );
      refreshAfterMs = RETRY_MS;
    }
    // After a failure too: the retry waits, and is not made by every request.
    refreshedAt = deps.clock().getTime();
    inProgress = null;
  }

  const refreshOnce = (): Promise<void> => {
    inProgress ??= refresh();
    return inProgress;
  };

  /** Updates the list with everything committed before the call. Never fails: errors are logged. */
  function renew(): Promise<void> {
    if (!inProgress) return refreshOnce();
    // The refresh in progress may have read before the change: one more follows it, shared by all callers.
    following ??= inProgress.then(() => {
      following = null;
      return refreshOnce();
    });
    return following;
  }

  /** Whether another process has signed a list after a yank. Without a database it is not known: the next refresh logs why. */
  async function isReplaced(): Promise<boolean> {
    const now = deps.clock().getTime();
    if (!current || Math.abs(now - lookedAt) < LOOK_AFTER_MS) return false;
    lookedAt = now;
    const mark = await deps.revocations.lastMark().catch(() => null);
    return mark !== null && mark !== markOf(current);
  }

  /**
   * Returns the list to serve.
   * @throws UnavailableError while no list could be signed
   */
  async function currentList(): Promise<RevocationList> {
    const isDue = Math.abs(deps.clock().getTime() - refreshedAt) >= refreshAfterMs;
    if (isDue || (await isReplaced())) await refreshOnce();
    if (current) return current;
    throw new UnavailableError('No revocation list could be signed yet.');
  }

  return {
    current: currentList,
    renew,
    /** Signs the first list of this process. @throws when the copy of the list cannot be read, without which a lost yank is not noticed */
    async open(): Promise<void> {
      await kept.open();
      await renew();
    },
  };
}

export type RevocationListing = ReturnType<typeof createRevocationList>;
