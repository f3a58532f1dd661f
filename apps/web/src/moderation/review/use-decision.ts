import type { Review } from '@svc/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';
import { conversationPath } from '../../conversation/conversation.tsx';
import { type LockStanding, standingOf } from './use-lock.ts';

/** What a moderator can say: two decisions, and a request after which the version stays in review. */
export type Verdict = 'approve' | 'changes' | 'reject';

/** What became of a verdict. */
export type Outcome =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'done'; verdict: Verdict; status: string }
  | { kind: 'refused'; standing: LockStanding };

/** What a moderator has typed with a verdict. */
export type Said = { note?: string; reason?: string; override?: boolean };

const pathOfVersion = ({ appId, version }: Review): string =>
  `/api/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;

/** Where a verdict goes, and as what. */
function requestOf(
  review: Review,
  verdict: Verdict,
  { note, ...said }: Said,
): { path: string; json: object } {
  if (verdict !== 'changes') return { path: `${pathOfVersion(review)}/${verdict}`, json: { note, ...said } };
  const { appId, version } = review;
  return {
    path: conversationPath('store', appId, version),
    json: { text: note, ...said, requestChanges: true },
  };
}

/**
 * Sends a verdict on a version, once: however often it is asked while one is on its way, one is sent.
 * @param settle told how the lock stands when the verdict was refused for it, or has ended it
 */
export function useDecision(review: Review, settle: (standing: LockStanding) => void) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const isOnItsWay = useRef(false);

  async function decide(verdict: Verdict, said: Said): Promise<boolean> {
    if (isOnItsWay.current) return false;
    isOnItsWay.current = true;
    setOutcome({ kind: 'busy' });
    const { path, json } = requestOf(review, verdict, said);
    try {
      const { status } = await send<{ status: string }>(csrf, 'POST', path, json);
      setOutcome({ kind: 'done', verdict, status });
      if (status !== 'in_review') settle({ kind: 'handled', status });
      return true;
    } catch (error) {
      const standing = standingOf(error, false);
      setOutcome({ kind: 'refused', standing });
      if (standing.kind !== 'failed') settle(standing);
      return false;
    } finally {
      isOnItsWay.current = false;
      await Promise.all(
        [pathOfVersion(review), path].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      );
    }
  }
  return { outcome, decide };
}
