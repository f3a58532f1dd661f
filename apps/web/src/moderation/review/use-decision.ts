import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';
import { conversationPath } from '../../conversation/conversation.tsx';
import { type LockStatus, lockStatusOf } from './use-lock.ts';

/** The verdicts of a moderator. After `changes` the version stays in review. */
export type Verdict = 'approve' | 'changes' | 'reject';

/** The outcome of a verdict. */
export type Outcome =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'done'; verdict: Verdict; status: string }
  | { kind: 'refused'; lockStatus: LockStatus };

/** The input that goes with a verdict. */
export type VerdictInput = { note?: string; reason?: string; override?: boolean };

const pathOfVersion = ({ appId, version }: Review): string =>
  apiRequest('GET /api/moderation/apps/:appId/versions/:version', { params: { appId, version } }).path;

/** The path and body of the request of a verdict. */
function requestOf(
  review: Review,
  verdict: Verdict,
  { note, ...input }: VerdictInput,
): { path: string; json: object } {
  if (verdict !== 'changes') return { path: `${pathOfVersion(review)}/${verdict}`, json: { note, ...input } };
  const { appId, version } = review;
  return {
    path: conversationPath('store', appId, version),
    json: { text: note, ...input, requestChanges: true },
  };
}

/**
 * Sends a verdict on a version. Calls are ignored while a request is pending.
 * @param settle receives the status of the lock when the verdict was refused because of it, or has ended it
 */
export function useDecision(review: Review, settle: (lockStatus: LockStatus) => void) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const isPending = useRef(false);

  async function decide(verdict: Verdict, input: VerdictInput): Promise<boolean> {
    if (isPending.current) return false;
    isPending.current = true;
    setOutcome({ kind: 'busy' });
    const { path, json } = requestOf(review, verdict, input);
    try {
      const { status } = await send<{ status: string }>(csrf, 'POST', path, json);
      setOutcome({ kind: 'done', verdict, status });
      if (status !== 'in_review') settle({ kind: 'handled', status });
      return true;
    } catch (error) {
      const lockStatus = lockStatusOf(error, false);
      setOutcome({ kind: 'refused', lockStatus });
      if (lockStatus.kind !== 'failed') settle(lockStatus);
      return false;
    } finally {
      isPending.current = false;
      await Promise.all(
        [pathOfVersion(review), path].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      );
    }
  }
  return { outcome, decide };
}
