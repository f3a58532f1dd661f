import type { AccessRules } from '@svc/contracts';
import { invalidField } from '../../platform/api-error.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { PeopleParts } from './people-parts.ts';

type Choices = { [K in keyof AccessRules]?: AccessRules[K] | undefined };
type AccessParts = Pick<PeopleParts, 'accessRules' | 'unitOfWork' | 'clock'>;

/**
 * Sets who may sign up, publish and read, and how users with a role sign in. Rules that settings define do not change; what is chosen
 * already changes nothing.
 */
export async function chooseAccess(
  { accessRules, unitOfWork, clock }: AccessParts,
  caller: Caller,
  choices: Choices,
): Promise<void> {
  const free = Object.entries(choices).filter(
    ([rule, choice]) => choice !== undefined && !(rule in accessRules.given),
  );
  const chosen = Object.fromEntries(free) as Partial<AccessRules>;
  const at = clock().toISOString();
  const isAsked = chosen.roles !== undefined && chosen.roles !== 'any' && accessRules.now().roles === 'any';
  await unitOfWork(async (stores) => {
    if (await stores.chosenRules.areChosen(chosen)) return;
    await stores.chosenRules.choose(chosen);
    if (isAsked) await stores.people.beginGrace(at);
    await stores.audit.add(caller, at, { action: 'access.change', detail: chosen });
  });
  await accessRules.refresh();
}

/**
 * Sets access rules for a tool that sends them again and again.
 * @returns the rules in force
 * @throws ApiError invalid_request for a rule that a setting fixes otherwise: the tool would believe that it is in force
 */
export async function putAccess(deps: AccessParts, caller: Caller, choices: Choices): Promise<AccessRules> {
  const given = Object.entries(deps.accessRules.given);
  const fixed = given.find(([rule, choice]) => (choices[rule as keyof Choices] ?? choice) !== choice);
  if (fixed) throw invalidField(fixed[0], `is ${fixed[1]} by a setting of the store: change it there`);
  await chooseAccess(deps, caller, choices);
  return { ...deps.accessRules.now() };
}
