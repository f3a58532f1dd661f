import type { RevocationEntry, RevocationList } from '@svc/contracts';
import { keyRing, signRevocations, verifyRevocationList } from '@svc/signing';
import type { Parts } from '../../domain/parts/parts.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { copyList, type ListCopy } from './kept-list.ts';
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

export type RevocationDeps = Pick<Parts, 'signingKey' | 'clock' | 'log'> & {
  unitOfWork: UnitOfWork<{ revocations: RevocationStore }>;
  revocations: Pick<RevocationStore, 'lastMark'>;
  blobs: ListCopy;
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
 * Entries of the last list that stay although their versions are not yanked in the database. An entry leaves the list only when its
 * yank is on record and was undone; a yank that is not on record was lost in a rollback of the database.
 */
async function retainedEntries(
  revocations: RevocationStore,
  last: RevocationList | null,
  yanked: readonly RevocationEntry[],
): Promise<RevocationEntry[]> {
  const known = new Set(yanked.map(nameOf));
  const others = last?.entries.filter((entry) => !known.has(nameOf(entry))) ?? [];
  const ended = new Set((await revocations.onRecord(others)).map(nameOf));
  return others.filter((entry) => !ended.has(nameOf(entry)));
}

/** Tries to sign once; null when another process has signed in the meantime, possibly with other entries. */
const tryToSign = (deps: RevocationDeps, signed: Signed | null): Promise<RevocationList | null> =>
  deps.unitOfWork(async ({ revocations }) => {
    // The last list is read first: a process that replaces it has then also seen all of its entries.
    const stored = await revocations.last();
    const last = stored && verifyRevocationList(stored, keyRing([deps.signingKey])) ? stored : null;
    const now = deps.clock().getTime();
    const at = signingTime(now, [last, signed?.list ?? null]);
    const yanked = await revocations.yanked();
    const entries = [...yanked, ...(await retainedEntries(revocations, last, yanked))];
    const fresh = signRevocations(entries, at, deps.signingKey);
    const isSame = JSON.stringify(last?.entries) === JSON.stringify(fresh.entries);
    if (last && isSame && !isDue(last, now, signed)) return last;
    return (await revocations.keep(fresh, stored)) ? fresh : null;
  });

async function signCurrentList(deps: RevocationDeps, signed: Signed | null): Promise<RevocationList> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const list = await tryToSign(deps, signed);
    if (list) return list;
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
  let copiedAt: string | null = null;

  /** Copies a list. A failed copy is retried at the next refresh; yanks do not wait for it. */
  async function copy(list: RevocationList): Promise<void> {
    if (list.signedAt === copiedAt) return;
    try {
      await copyList(deps.blobs, deps.signingKey, list);
      copiedAt = list.signedAt;
    } catch (error) {
      deps.log.warn(
        { err: error },
        'The revocation list could not be copied to the bundle storage; this will be retried.',
      );
    }
  }

  /** Records a list that is new to this process: the next one must be later. Logs an error when its time is in the future. */
  function record(list: RevocationList): void {
    const at = deps.clock().getTime();
    signed = { list, at };
    if (Date.parse(list.signedAt) - at <= AHEAD_MS) return;
    deps.log.error(
      { signedAt: list.signedAt },
      'The time of the revocation list is ahead of the clock: the clock was wrong then, or is wrong now. Correct the clock, and see docs/keys.md, Clocks, for how to correct the time of the list.',
    );
  }

  async function refresh(): Promise<void> {
    try {
      const before = current;
      current = await signCurrentList(deps, signed);
      if (current.signedAt !== before?.signedAt) record(current);
      await copy(current);
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

  return { current: currentList, renew };
}

export type RevocationListing = ReturnType<typeof createRevocationList>;
