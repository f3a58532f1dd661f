import type { VersionStatus } from '@svc/contracts';
import type { Clock } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import { type Caller, requireMember } from '../tokens/caller.ts';
import { requireVersion, statusOf } from './version-status.ts';
import type { VersionRef, VersionStore } from './version-store.ts';

/** The note by which a version that its own publisher took back is told from one that a moderator refused. */
const WITHDRAWN = 'withdrawn';

/**
 * Takes a version back that waits for a person. Its number counts as uploaded all the same.
 * @throws Refusal not_found, not_a_member, already_handled
 */
export async function withdrawVersion(
  deps: { versions: VersionStore; clock: Clock },
  caller: Caller,
  ref: VersionRef,
): Promise<VersionStatus> {
  const { publisher } = await requireVersion(deps.versions, ref);
  requireMember(caller, publisher);
  const mover = { by: caller.name, at: deps.clock().toISOString() };
  const step = { from: 'in_review', to: 'rejected' } as const;
  const isMoved = await deps.versions.move(ref, step, { notes: WITHDRAWN }, mover);
  const record = await requireVersion(deps.versions, ref);
  if (isMoved) return statusOf(record);
  throw new Refusal(
    'already_handled',
    `This version is ${record.state}: only one that is in review can be withdrawn.`,
    { status: record.state },
  );
}
