import type { HandlersOf } from '../../core/access/extension.ts';
import { isAdministrator, type PersonCaller } from '../../core/domain/identity/caller.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import { findAct, recoveredActs } from './acts.ts';
import { KINDS, type RecoveredAction, requireInEffect, type UndoDeps } from './kinds.ts';

export type RecoveryDeps = UndoDeps & Parts;

/**
 * Undoes an act in the name of the caller from before the account was recovered.
 * @throws ApiError not_found; already_handled when it has no effect any more, or cannot be undone; the errors of the undoing act
 */
async function undoAct(deps: RecoveryDeps, caller: PersonCaller, id: number): Promise<void> {
  const act = await findAct(deps, caller.person, id);
  if (!act) throw new ApiError('not_found', 'There is no such act in your name before the recovery.');
  const kind = KINDS[act.action as RecoveredAction];
  await requireInEffect(deps, kind, act, caller);
  await kind.undo?.(deps, caller, act);
}

/** What was done in the name of a recovered account, and how its user undoes it. */
export const recoveryRoutes = (deps: RecoveryDeps): HandlersOf<'recovery'> => {
  const listed = (caller: PersonCaller) =>
    recoveredActs(deps, { id: caller.person.id, isAdministrator: isAdministrator(caller) });
  return {
    recoveredActs: ({ caller }) => listed(caller),
    undoRecovered: async ({ caller, params }) => {
      await undoAct(deps, caller, params.id);
      return listed(caller);
    },
  };
};
