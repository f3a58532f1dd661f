import type { LockState, Review, ReviewLock } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Refused, send } from '../../account/api.ts';
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
  if (!(error instanceof Refused))
    return { kind: 'failed', message: String((error as Error).message ?? error) };
  const { code, status, lock } = error.envelope as Refused['envelope'] & {
    status?: string;
    lock?: ReviewLock;
  };
  if (code !== 'already_handled') return { kind: 'failed', message: error.message };
  return lock ? { kind: 'others', lock, wasMine } : { kind: 'handled', status: status ?? '' };
}

/** The address of the lock of a version. */
const lockPath = ({ appId, version }: Pick<Review, 'appId' | 'version'>): string =>
  `/api/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}/lock`;

/** Leaves the version to others when its page is left. What it answers nobody is there to hear. */
function leave(path: string, csrf: string): void {
  void fetch(path, { method: 'DELETE', keepalive: true, headers: { 'X-Svc-Csrf': csrf } });
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
  const settle = useCallback((next: LockStanding) => {
    isMine.current = next.kind === 'mine';
    setStanding(next);
  }, []);

  const take = useCallback(async () => {
    const wasMine = isMine.current;
    try {
      const { lock } = await send<LockState>(csrf, 'POST', path);
      settle(lock ? { kind: 'mine', until: lock.until } : { kind: 'taking' });
    } catch (error) {
      settle(standingOf(error, wasMine));
    }
  }, [csrf, path, settle]);

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
      if (isMine.current) leave(path, csrf);
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
  }, [waits, take, path, csrf]);

  return { standing, take, takeAway, settle };
}
