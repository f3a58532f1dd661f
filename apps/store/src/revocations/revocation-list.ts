import type { RevocationEntry, RevocationList } from '@svc/contracts';
import { keyRing, revocationsHold, type SigningKey, signRevocations } from '@svc/signing';
import type { Clock, Log, UnitOfWork } from '../platform/system.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';
import type { RevocationStore } from './revocation-store.ts';

/** The age at which a list is signed again, in milliseconds: clients must get one that is less than an hour old. */
const SIGN_AFTER_MS = 55 * 60_000;

/** How long a list is served without asking whether another process of the store withdrew something, in milliseconds. */
const LOOK_AFTER_MS = 30_000;

/** How long after a failure it is tried again, in milliseconds: a withdrawal that was acknowledged waits for it. */
const TRY_AGAIN_MS = 1_000;

const MAX_TRIES = 5;

export type RevocationDeps = {
  unitOfWork: UnitOfWork<{ revocations: RevocationStore }>;
  /** What keeps a signed list where a database that goes back does not take it along. */
  keepBeside(list: RevocationList): Promise<void>;
  signingKey: SigningKey;
  clock: Clock;
  log: Log;
};

/** A list signed further ahead than this, in milliseconds, was signed by a clock that was wrong; processes differ by less. */
const AHEAD_MS = 5 * 60_000;

const nameOf = ({ appId, version }: RevocationEntry): string => `${appId} ${version}`;

/** What this process signed last, and when by the clock of then. */
type Signed = { list: RevocationList; at: number };

/** Whether a list is old enough to be signed again. The time of one signed ahead of the clock says nothing about that. */
function isDue(last: RevocationList, now: number, signed: Signed | null): boolean {
  const age = now - Date.parse(last.signedAt);
  if (age >= -AHEAD_MS) return age >= SIGN_AFTER_MS;
  return signed === null || Math.abs(now - signed.at) >= SIGN_AFTER_MS;
}

/**
 * Later than every list that this key signed, as clients refuse one that is not: also when the clock was set back, and also
 * within a millisecond. A list by another key sets no bound: clients take those of a successor whatever their time.
 */
function signingTime(now: number, lists: readonly (RevocationList | null)[]): string {
  const times = lists.flatMap((list) => (list ? [Date.parse(list.signedAt) + 1] : []));
  return new Date(Math.max(now, ...times)).toISOString();
}

/**
 * Entries of the last list that stay although the database has their versions not as yanked. An entry leaves the list when its
 * withdrawal is on record and was undone; one that is not on record was lost by a database that went back.
 */
async function staying(
  revocations: RevocationStore,
  last: RevocationList | null,
  yanked: readonly RevocationEntry[],
): Promise<RevocationEntry[]> {
  const known = new Set(yanked.map(nameOf));
  const others = last?.entries.filter((entry) => !known.has(nameOf(entry))) ?? [];
  const ended = new Set((await revocations.onRecord(others)).map(nameOf));
  return others.filter((entry) => !ended.has(nameOf(entry)));
}

/** One try; null when another process signed meanwhile, which may know of more or of less. */
const tryToSign = (deps: RevocationDeps, signed: Signed | null): Promise<RevocationList | null> =>
  deps.unitOfWork(async ({ revocations }) => {
    // The last list is read first: the process that replaces it later has also seen all that it holds.
    const stored = await revocations.last();
    const last = stored && revocationsHold(stored, keyRing([deps.signingKey])) ? stored : null;
    const now = deps.clock().getTime();
    const at = signingTime(now, [last, signed?.list ?? null]);
    const yanked = await revocations.yanked();
    const entries = [...yanked, ...(await staying(revocations, last, yanked))];
    const fresh = signRevocations(entries, at, deps.signingKey);
    const isSame = JSON.stringify(last?.entries) === JSON.stringify(fresh.entries);
    if (last && isSame && !isDue(last, now, signed)) return last;
    return (await revocations.keep(fresh, stored)) ? fresh : null;
  });

async function bringUpToDate(deps: RevocationDeps, signed: Signed | null): Promise<RevocationList> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const list = await tryToSign(deps, signed);
    if (list) return list;
  }
  throw new Error('Other processes of the store keep signing the list at the same time.');
}

/**
 * The signed list of withdrawn versions, kept ready to send. It is signed again before it is an hour old, and whenever
 * what is withdrawn has changed. When that fails the last good list goes on being served, and the log says so.
 */
export function createRevocationList(deps: RevocationDeps) {
  let held: RevocationList | null = null;
  let signed: Signed | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lookAfter = LOOK_AFTER_MS;
  let underWay: Promise<void> | null = null;
  let following: Promise<void> | null = null;
  let besideAt: string | null = null;

  /** A list that could not be kept beside is kept at the next look: withdrawals do not wait for that. */
  async function keep(list: RevocationList): Promise<void> {
    if (list.signedAt === besideAt) return;
    try {
      await deps.keepBeside(list);
      besideAt = list.signedAt;
    } catch (error) {
      deps.log.warn(
        { err: error },
        'The revocation list could not be kept beside the bundles; it is tried again.',
      );
    }
  }

  /** A list that is new to this process: the next one must be later, and a clock that was ahead is the operator's to know. */
  function note(list: RevocationList): void {
    const at = deps.clock().getTime();
    signed = { list, at };
    if (Date.parse(list.signedAt) - at <= AHEAD_MS) return;
    deps.log.error(
      { signedAt: list.signedAt },
      'The revocation list is signed ahead of the clock, which was wrong then or is wrong now. Set the clock right; docs/operating.md, Clocks, says how to bring the list back to the right time.',
    );
  }

  async function look(): Promise<void> {
    try {
      const before = held;
      held = await bringUpToDate(deps, signed);
      if (held.signedAt !== before?.signedAt) note(held);
      await keep(held);
      lookAfter = LOOK_AFTER_MS;
    } catch (error) {
      deps.log.error(
        { err: error },
        'Signing the revocation list failed; the last good one goes on being served.',
      );
      lookAfter = TRY_AGAIN_MS;
    }
    // After a failure too: it is tried again in a while, not by every request.
    lookedAt = deps.clock().getTime();
    underWay = null;
  }

  const lookOnce = (): Promise<void> => {
    underWay ??= look();
    return underWay;
  };

  /** Brings the list up to date with what was committed before the call. Never fails: the log says what went wrong. */
  function renew(): Promise<void> {
    if (!underWay) return lookOnce();
    // What is under way may have read before the change: one more look follows it, for every caller.
    following ??= underWay.then(() => {
      following = null;
      return lookOnce();
    });
    return following;
  }

  /**
   * The list to serve.
   * @throws UnavailableError while none could be signed yet
   */
  async function current(): Promise<RevocationList> {
    if (Math.abs(deps.clock().getTime() - lookedAt) >= lookAfter) await lookOnce();
    if (held) return held;
    throw new UnavailableError('No revocation list could be signed yet.');
  }

  return { current, renew };
}

export type RevocationListing = ReturnType<typeof createRevocationList>;
