import type { AccessRules } from '@svc/contracts';
import type { AuditLog } from '../../domain/audit/audit-log.ts';
import type { AccessRuleBook, AccessRuleStore } from '../../domain/identity/access-rules.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';

export type ChooseAccessDeps = {
  accessRules: AccessRuleBook;
  unitOfWork: UnitOfWork<{ chosenRules: AccessRuleStore; audit: AuditLog }>;
  clock: Clock;
};

/** Sets who may sign up, publish and read. Rules that settings define do not change. */
export async function chooseAccess(
  { accessRules, unitOfWork, clock }: ChooseAccessDeps,
  caller: Caller,
  choices: { [K in keyof AccessRules]?: AccessRules[K] | undefined },
): Promise<void> {
  const free = Object.entries(choices).filter(
    ([rule, choice]) => choice !== undefined && !(rule in accessRules.given),
  );
  const chosen = Object.fromEntries(free) as Partial<AccessRules>;
  await unitOfWork(async (stores) => {
    await stores.chosenRules.choose(chosen);
    await stores.audit.add(caller, clock().toISOString(), { action: 'access.change', detail: chosen });
  });
  await accessRules.refresh();
}
