import type { RevocationList } from '@svc/contracts';
import { keyRing, revocationsHold, type SigningKey, signRevocations } from '@svc/signing';
import type { Clock, Log, UnitOfWork } from '../platform/ambient.ts';
import { Unavailable } from '../platform/unavailable.ts';
import type { RevocationStore } from './revocation-store.ts';

/** The age at which a list is signed again, in milliseconds: clients must get one that is less than an hour old. */
const SIGN_AFTER_MS = 55 * 60_000;

/** How long a list is served without asking whether another process of the store withdrew something, in milliseconds. */
const LOOK_AFTER_MS = 30_000;

/** How long after a failure it is tried again, in milliseconds: a withdrawal that was acknowledged waits for it. */
const TRY_AGAIN_MS = 1_000;

const MOST_TRIES = 5;

export type RevocationDeps = {
  unitOfWork: UnitOfWork<{ revocations: RevocationStore }>;
  signingKey: SigningKey;
  clock: Clock;
  log: Log;
};

/** Whether a list still says what is so, under the current key, and is young enough. */
function isCurrent(last: RevocationList | null, fresh: RevocationList, deps: RevocationDeps): boolean {
  if (!last || !revocationsHold(last, keyRing([deps.signingKey]))) return false;
  const age = Date.parse(fresh.signedAt) - Date.parse(last.signedAt);
  return age < SIGN_AFTER_MS && JSON.stringify(last.entries) === JSON.stringify(fresh.entries);
}

/** Clients refuse a list that is older than one they have, so a clock that was set back must not show. */
function signingTime({ clock }: RevocationDeps, last: RevocationList | null): string {
  const now = clock().toISOString();
  return last && last.signedAt > now ? last.signedAt : now;
}

/** One try; null when another process signed meanwhile, which may know of more or of less. */
const tryToSign = (deps: RevocationDeps): Promise<RevocationList | null> =>
  deps.unitOfWork(async ({ revocations }) => {
    // The last list is read first: whoever replaces it later has also seen all that it holds.
    const last = await revocations.last();
    const fresh = signRevocations(await revocations.yanked(), signingTime(deps, last), deps.signingKey);
    if (last && isCurrent(last, fresh, deps)) return last;
    return (await revocations.keep(fresh, last)) ? fresh : null;
  });

async function bringUpToDate(deps: RevocationDeps): Promise<RevocationList> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const list = await tryToSign(deps);
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
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lookAfter = LOOK_AFTER_MS;
  let underWay: Promise<void> | null = null;
  let following: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      held = await bringUpToDate(deps);
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
    // What is under way may have read before the change: one more look follows it, whoever asks.
    following ??= underWay.then(() => {
      following = null;
      return lookOnce();
    });
    return following;
  }

  /**
   * The list to serve.
   * @throws Unavailable while none could be signed yet
   */
  async function current(): Promise<RevocationList> {
    if (Math.abs(deps.clock().getTime() - lookedAt) >= lookAfter) await lookOnce();
    if (held) return held;
    throw new Unavailable('No revocation list could be signed yet.');
  }

  return { current, renew };
}

export type RevocationListing = ReturnType<typeof createRevocationList>;
