import type { LockState, Review, ReviewLock } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useCallback, useEffect, useRef, useState } from 'react';
import { RefusedError, send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';

/** How it stands with the lock on the version that is open. */
export type LockStanding =
  | { kind: 'taking' }
  | { kind: 'mine'; until: string }
  | { kind: 'others'; lock: ReviewLock; wasMine: boolean }
  | { kind: 'handled'; status: string }
  | { kind: 'failed'; message: string };

/** Three renewals fit into the time of a lock, so that one may fail. */
const RENEW_MS = LIMITS.moderation.lockMs / 3;

/** What was refused, when another was faster: by a lock, or by a decision. */
export function standingOf(error: unknown, wasMine: boolean): LockStanding {
  if (!(error instanceof RefusedError))
    return { kind: 'failed', message: String((error as Error).message ?? error) };
  const { code, status, lock } = error.envelope as RefusedError['envelope'] & {
    status?: string;
    lock?: ReviewLock;
  };
  if (code === 'locked' && lock) return { kind: 'others', lock, wasMine };
  if (code === 'already_handled') return { kind: 'handled', status: status ?? '' };
  return { kind: 'failed', message: error.message };
}

/** The address of the lock of a version. */
const lockPath = ({ appId, version }: Pick<Review, 'appId' | 'version'>): string =>
  `/api/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}/lock`;

const PAGE_BYTES = 16;

/** A name for this page alone: closing it must not end the lock that the same moderator holds in another tab. */
const newPage = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(PAGE_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Ends the lock of this page when it closes; the request outlives the page (Fetch standard, `keepalive`). */
function leave(path: string, page: string, csrf: string): void {
  void fetch(`${path}?page=${page}`, {
    method: 'DELETE',
    keepalive: true,
    headers: { 'X-Svc-Csrf': csrf },
  });
}

/**
 * Takes the lock of a version that waits, renews it while its page is open, and gives it back when the page is left.
 * @param waits whether the version waits for a person
 */
export function useLock(review: Pick<Review, 'appId' | 'version'>, waits: boolean) {
  const { csrf } = useSignedIn();
  const path = lockPath(review);
  const [standing, setStanding] = useState<LockStanding>({ kind: 'taking' });
  const isMine = useRef(false);
  const [page] = useState(newPage);
  const settle = useCallback((next: LockStanding) => {
    isMine.current = next.kind === 'mine';
    setStanding(next);
  }, []);

  const take = useCallback(async () => {
    const wasMine = isMine.current;
    try {
      const { lock } = await send<LockState>(csrf, 'POST', path, { page });
      settle(lock ? { kind: 'mine', until: lock.until } : { kind: 'taking' });
    } catch (error) {
      settle(standingOf(error, wasMine));
    }
  }, [csrf, path, page, settle]);

  /** For administrators: takes another moderator's lock away, and takes it. */
  const takeAway = useCallback(async () => {
    try {
      await send(csrf, 'DELETE', path);
    } catch (error) {
      settle(standingOf(error, false));
      return;
    }
    await take();
  }, [csrf, path, take, settle]);

  useEffect(() => {
    if (!waits) return;
    void take();
    const timer = setInterval(() => isMine.current && void take(), RENEW_MS);
    const onHide = () => {
      // Also while the lock is on its way: only the lock of this page ends.
      leave(path, page, csrf);
    };
    // A page that a browser kept and shows again has given its lock back.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && void take();
    window.addEventListener('pagehide', onHide);
    window.addEventListener('pageshow', onShow);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('pageshow', onShow);
    };
  }, [waits, take, path, page, csrf]);

  return { standing, take, takeAway, settle };
}
