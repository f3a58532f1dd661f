import type { Review, ReviewLock } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { RefusedError, send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';

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

type Ref = Pick<Review, 'appId' | 'version'>;

const unlock = (params: Ref, page?: string) =>
  apiRequest('DELETE /api/moderation/apps/:appId/versions/:version/lock', { params, query: { page } });

const PAGE_BYTES = 16;

/** An id for this page: closing it must not release the lock that the same moderator holds in another tab. */
const newPage = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(PAGE_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Releases the lock; the request outlives the page (Fetch standard, `keepalive`). */
function release(ref: Ref, page: string, csrf: string): void {
  const { method, path } = unlock(ref, page);
  void fetch(path, {
    method,
    keepalive: true,
    headers: { 'X-Svc-Csrf': csrf },
  });
}

/**
 * Locks a version in review, renews the lock while its page is shown, and releases it when the page closes or another one is shown.
 * @param isInReview whether the version is in review; otherwise nothing is locked
 */
export function useLock({ appId, version }: Ref, isInReview: boolean) {
  const { csrf } = useSignedIn();
  const ref = useMemo(() => ({ appId, version }), [appId, version]);
  const [lockStatus, setLockStatus] = useState<LockStatus>({ kind: 'taking' });
  const isMine = useRef(false);
  const [page] = useState(newPage);
  const isGone = useRef(false);
  const settle = useCallback((next: LockStatus) => {
    isMine.current = next.kind === 'mine';
    setLockStatus(next);
  }, []);

  const take = useCallback(async () => {
    const wasMine = isMine.current;
    try {
      const endpoint = 'POST /api/moderation/apps/:appId/versions/:version/lock';
      const { lock } = await send(csrf, apiRequest(endpoint, { params: ref, json: { page } }));
      if (isGone.current) return release(ref, page, csrf);
      settle(lock ? { kind: 'mine', until: lock.until } : { kind: 'taking' });
    } catch (error) {
      settle(lockStatusOf(error, wasMine));
    }
  }, [csrf, ref, page, settle]);

  /** For administrators: takes over another moderator's lock. */
  const takeAway = useCallback(async () => {
    try {
      await send(csrf, unlock(ref));
    } catch (error) {
      settle(lockStatusOf(error, false));
      return;
    }
    await take();
  }, [csrf, ref, take, settle]);

  useEffect(() => {
    if (!isInReview) return;
    isGone.current = false;
    void take();
    const timer = setInterval(() => isMine.current && void take(), RENEW_MS);
    const onHide = () => {
      // Also while the lock is being requested: this releases only the lock of this page.
      release(ref, page, csrf);
    };
    // A page restored from the back/forward cache has released its lock.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && void take();
    window.addEventListener('pagehide', onHide);
    window.addEventListener('pageshow', onShow);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('pageshow', onShow);
      isGone.current = true;
      // Another page of this application is shown.
      if (isMine.current) onHide();
    };
  }, [isInReview, take, ref, page, csrf]);

  return { lockStatus, take, takeAway, settle };
}
