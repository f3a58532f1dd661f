import type { Review, VersionStatus } from '@svc/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { send } from '../../account/api.ts';
import { useSignedIn } from '../../account/use-store.ts';
import { type LockStanding, standingOf } from './use-lock.ts';

export type Verdict = 'approve' | 'reject';

/** What became of a decision. */
export type Outcome =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'done'; verdict: Verdict; status: string }
  | { kind: 'refused'; standing: LockStanding };

/**
 * Decides about a version, once: however often it is asked while a decision is on its way, one is sent.
 * @param settle told how the lock stands when the decision was refused for it
 */
export function useDecision({ appId, version }: Review, settle: (standing: LockStanding) => void) {
  const { csrf } = useSignedIn();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const isOnItsWay = useRef(false);
  const path = `/api/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;

  async function decide(verdict: Verdict, json: object): Promise<boolean> {
    if (isOnItsWay.current) return false;
    isOnItsWay.current = true;
    setOutcome({ kind: 'busy' });
    try {
      const { status } = await send<VersionStatus>(csrf, 'POST', `${path}/${verdict}`, json);
      setOutcome({ kind: 'done', verdict, status });
      return true;
    } catch (error) {
      const standing = standingOf(error, false);
      setOutcome({ kind: 'refused', standing });
      if (standing.kind !== 'failed') settle(standing);
      return false;
    } finally {
      isOnItsWay.current = false;
      await queries.invalidateQueries({ queryKey: [path] });
    }
  }
  return { outcome, decide };
}
