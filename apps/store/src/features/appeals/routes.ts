import type { Policy, PolicyChange } from '@svc/contracts';
import type { Handlers } from '../../access/bind-route.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type AppealDeps, answerAppeal, appeal, decideAppeal, decisionsOf, openAppeals } from './appeal.ts';
import { policyPage, transparencyPage } from './policy-page.ts';

/**
 * A version of the policy, with the list of all.
 * @throws ApiError not_found
 */
async function readPolicy({ decisions }: Pick<Parts, 'decisions'>, version?: number): Promise<Policy> {
  const [policy, versions] = await Promise.all([decisions.policy(version), decisions.policyVersions()]);
  if (!policy) throw new ApiError('not_found', 'The policy has no such version.');
  return { ...policy, versions };
}

/**
 * Publishes a new version of the policy. Earlier ones stay, as decisions cite them.
 * @throws ApiError already_handled when another version was published since
 */
function changePolicy(
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

/** The policy, the decisions that cite it, their appeals, and the transparency report. */
export function appealRoutes(deps: AppealDeps) {
  const yearOf = async (year = deps.clock().getUTCFullYear()) => ({
    year,
    ...(await deps.decisions.countYear(year)),
  });
  return {
    policy: ({ query }) => readPolicy(deps, query.version),
    policyPage: async ({ query }, c) => sendPage(c, policyPage(await readPolicy(deps, query.version))),
    changePolicy: ({ caller, body }) => changePolicy(deps, caller, body),
    transparency: ({ query }) => yearOf(query.year),
    transparencyPage: async ({ query }, c) => sendPage(c, transparencyPage(await yearOf(query.year))),
    decisions: async ({ caller, params }) => ({ decisions: await decisionsOf(deps, caller, params.slug) }),
    appeal: ({ caller, params, body }) => appeal(deps, caller, params, body.text),
    openAppeals: ({ caller }) => openAppeals(deps, caller),
    answerAppeal: ({ caller, params, body }) => answerAppeal(deps, caller, params.id, body.text),
    decideAppeal: ({ caller, params, body }) => decideAppeal(deps, caller, params.id, body),
  } satisfies Handlers;
}
