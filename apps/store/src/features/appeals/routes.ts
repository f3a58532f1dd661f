import type { Handlers } from '../../access/bind-route.ts';
import { sendPage } from '../../http/page.ts';
import { type AppealDeps, answerAppeal, appeal, decideAppeal, decisionsOf, openAppeals } from './appeal.ts';
import { changePolicy, readPolicy } from './policy.ts';
import { policyPage, transparencyPage } from './policy-page.ts';

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
