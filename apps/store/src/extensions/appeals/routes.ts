import type { HandlersOf } from '../../core/access/extension.ts';
import { type AppealDeps, answerAppeal, appeal, decideAppeal, decisionsOf, openAppeals } from './appeal.ts';

/** The routes of publishers who read decisions and appeal them, and of moderators who decide. */
export const appealRoutes = (deps: AppealDeps): HandlersOf<'appeals'> => ({
  decisions: async ({ caller, params }) => ({ decisions: await decisionsOf(deps, caller, params.slug) }),
  appeal: ({ caller, params, body }) => appeal(deps, caller, params, body.text),
  openAppeals: ({ caller }) => openAppeals(deps, caller),
  answerAppeal: ({ caller, params, body }) => answerAppeal(deps, caller, params.id, body.text),
  decideAppeal: ({ caller, params, body }) => decideAppeal(deps, caller, params.id, body),
});
