import type { LockState, Review, ReviewLock } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useCallback, useEffect, useRef, useState } from 'react';
import { RefusedError, send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';

/** The status of the lock on the open version. */
export type LockStatus =
  | { kind: 'taking' }
  | { kind: 'mine'; until: string }
  | { kind: 'others'; lock: ReviewLock; wasMine: boolean }
  | { kind: 'handled'; status: string }
  | { kind: 'failed'; message: string };

/** Renews the lock three times within its lifetime, so that one renewal may fail. */
const RENEW_MS = LIMITS.moderation.lockMs / 3;

/** The status of the lock after a refused request: locked by another moderator, already decided, or failed. */
export function lockStatusOf(error: unknown, wasMine: boolean): LockStatus {
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

/** The API path of the lock of a version. */
const lockPath = ({ appId, version }: Pick<Review, 'appId' | 'version'>): string =>
  `/api/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}/lock`;

const PAGE_BYTES = 16;

/** An id for this page: closing it must not release the lock that the same moderator holds in another tab. */
const newPage = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(PAGE_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Releases the lock when the page closes; the request outlives the page (Fetch standard, `keepalive`). */
function release(path: string, page: string, csrf: string): void {
  void fetch(`${path}?page=${page}`, {
    method: 'DELETE',
    keepalive: true,
    headers: { 'X-Svc-Csrf': csrf },
  });
}

/**
 * Locks a version in review, renews the lock while the page is open, and releases it when the page closes.
 * @param isInReview whether the version is in review; otherwise nothing is locked
 */
export function useLock(review: Pick<Review, 'appId' | 'version'>, isInReview: boolean) {
  const { csrf } = useSignedIn();
  const path = lockPath(review);
  const [lockStatus, setLockStatus] = useState<LockStatus>({ kind: 'taking' });
  const isMine = useRef(false);
  const [page] = useState(newPage);
  const settle = useCallback((next: LockStatus) => {
    isMine.current = next.kind === 'mine';
    setLockStatus(next);
  }, []);

  const take = useCallback(async () => {
    const wasMine = isMine.current;
    try {
      const { lock } = await send<LockState>(csrf, 'POST', path, { page });
      settle(lock ? { kind: 'mine', until: lock.until } : { kind: 'taking' });
    } catch (error) {
      settle(lockStatusOf(error, wasMine));
    }
  }, [csrf, path, page, settle]);

  /** For administrators: takes over another moderator's lock. */
  const takeAway = useCallback(async () => {
    try {
      await send(csrf, 'DELETE', path);
    } catch (error) {
      settle(lockStatusOf(error, false));
      return;
    }
    await take();
  }, [csrf, path, take, settle]);

  useEffect(() => {
    if (!isInReview) return;
    void take();
    const timer = setInterval(() => isMine.current && void take(), RENEW_MS);
    const onHide = () => {
      // Also while the lock is being requested: this releases only the lock of this page.
      release(path, page, csrf);
    };
    // A page restored from the back/forward cache has released its lock.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && void take();
    window.addEventListener('pagehide', onHide);
    window.addEventListener('pageshow', onShow);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('pageshow', onShow);
    };
  }, [isInReview, take, path, page, csrf]);

  return { lockStatus, take, takeAway, settle };
}
