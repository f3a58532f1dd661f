import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';
import { conversationRequest } from '../../conversation/conversation.tsx';
import { type LockStatus, lockStatusOf } from './use-lock.ts';

/** The verdicts of a moderator. After `changes` the version stays in review. */
export type Verdict = 'approve' | 'changes' | 'reject';

export type Outcome =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'done'; verdict: Verdict; status: string }
  | { kind: 'refused'; lockStatus: LockStatus };

/** The input that goes with a verdict. */
export type VerdictInput = { note?: string; reason?: string; override?: boolean };

/** The requests that read what a verdict changes. */
const changedBy = ({ appId, version }: Review) => [
  apiRequest('GET /api/moderation/apps/:appId/versions/:version', { params: { appId, version } }),
  conversationRequest('store', { appId, version }),
];

const { path: queuePath } = apiRequest('GET /api/moderation/queue');

/** Sends a verdict, and returns the status that the version has then. */
async function sendVerdict(csrf: string, review: Review, verdict: Verdict, input: VerdictInput) {
  const params = { appId: review.appId, version: review.version };
  if (verdict === 'changes') {
    const { note = '', ...rest } = input;
    const json = { text: note, ...rest, requestChanges: true };
    const path = 'POST /api/moderation/apps/:appId/versions/:version/messages';
    return (await send(csrf, apiRequest(path, { params, json }))).status;
  }
  const path = `POST /api/moderation/apps/:appId/versions/:version/${verdict}` as const;
  // Tools that were recorded after this page was read are not approved with the version.
  const seen = verdict === 'approve' && { toolsRecordedAt: review.served?.recordedAt ?? null };
  return (await send(csrf, apiRequest(path, { params, json: { ...input, ...seen } }))).status;
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
    try {
      const status = await sendVerdict(csrf, review, verdict, input);
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
      // The list beside this version stays as it is, for its keys; the next page reads the queue again.
      const isQueue = ({ queryKey: [path] }: { queryKey: readonly unknown[] }) =>
        String(path).startsWith(queuePath);
      await queries.invalidateQueries({ predicate: isQueue, refetchType: 'none' });
      await Promise.all(changedBy(review).map(({ path }) => queries.invalidateQueries({ queryKey: [path] })));
    }
  }
  return { outcome, decide };
}
