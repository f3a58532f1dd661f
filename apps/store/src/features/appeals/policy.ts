import type { Policy, PolicyChange } from '@svc/contracts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';

/**
 * A version of the policy, with the list of all.
 * @throws ApiError not_found
 */
export async function readPolicy({ decisions }: Pick<Parts, 'decisions'>, version?: number): Promise<Policy> {
  const [policy, versions] = await Promise.all([decisions.policy(version), decisions.policyVersions()]);
  if (!policy) throw new ApiError('not_found', 'The policy has no such version.');
  return { ...policy, versions };
}

/**
 * Publishes a new version of the policy. Earlier ones stay, as decisions cite them.
 * @throws ApiError already_handled when another version was published since
 */
export function changePolicy(
  deps: Pick<Parts, 'clock'> & { unitOfWork: UnitOfWork<Pick<Parts, 'decisions' | 'audit'>> },
  caller: Caller,
  { from, intro, rules, note }: PolicyChange,
): Promise<Policy> {
  const at = deps.clock().toISOString();
  return deps.unitOfWork(async ({ decisions, audit }) => {
    const current = await decisions.policy();
    const next = { version: from + 1, intro, rules, note, at };
    if (current?.version !== from || !(await decisions.addPolicy(next)))
      throw new ApiError('already_handled', 'The policy was changed in the meantime: read it again.');
    await audit.add(caller, at, { action: 'policy.change', detail: { version: next.version, note } });
    return readPolicy({ decisions });
  });
}
