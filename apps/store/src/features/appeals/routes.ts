import type { RouteHandler } from '../../access/bind-route.ts';
import { sendPage } from '../../http/page.ts';
import { type AppealDeps, answerAppeal, appeal, decideAppeal, decisionsOf, openAppeals } from './appeal.ts';
import { changePolicy, readPolicy } from './policy.ts';
import { policyPage, transparencyPage } from './policy-page.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** The policy, the decisions that cite it, their appeals, and the transparency report. */
export function appealRoutes(deps: AppealDeps) {
  const yearOf = async (year = deps.clock().getUTCFullYear()) => ({
    year,
    ...(await deps.decisions.countYear(year)),
  });
  return {
    policy: (async (c, { query }) =>
      c.json(await readPolicy(deps, query.version), 200, NO_STORE)) satisfies RouteHandler<'policy'>,
    policyPage: (async (c, { query }) =>
      sendPage(c, policyPage(await readPolicy(deps, query.version)))) satisfies RouteHandler<'policyPage'>,
    changePolicy: (async (c, { body }) =>
      c.json(await changePolicy(deps, c.get('caller'), body))) satisfies RouteHandler<'changePolicy'>,
    transparency: (async (c, { query }) =>
      c.json(await yearOf(query.year), 200, NO_STORE)) satisfies RouteHandler<'transparency'>,
    transparencyPage: (async (c, { query }) =>
      sendPage(c, transparencyPage(await yearOf(query.year)))) satisfies RouteHandler<'transparencyPage'>,
    decisions: (async (c, { params }) =>
      c.json(
        { decisions: await decisionsOf(deps, c.get('caller'), params.slug) },
        200,
        NO_STORE,
      )) satisfies RouteHandler<'decisions'>,
    appeal: (async (c, { params, body }) =>
      c.json(await appeal(deps, c.get('caller'), params, body.text), 201)) satisfies RouteHandler<'appeal'>,
    openAppeals: (async (c) =>
      c.json(await openAppeals(deps, c.get('caller')), 200, NO_STORE)) satisfies RouteHandler<'openAppeals'>,
    answerAppeal: (async (c, { params, body }) =>
      c.json(
        await answerAppeal(deps, c.get('caller'), params.id, body.text),
        201,
      )) satisfies RouteHandler<'answerAppeal'>,
    decideAppeal: (async (c, { params, body }) =>
      c.json(
        await decideAppeal(deps, c.get('caller'), params.id, body),
      )) satisfies RouteHandler<'decideAppeal'>,
  };
}
