import { isDeepStrictEqual } from 'node:util';
import type { Policy, PolicyChange } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { besides } from '../../http/shell.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { Handlers } from '../access/bind-route.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { Parts } from '../domain/parts/parts.ts';

const lines = (text: string): Html => html`${text.split('\n').map((line) => html`<p>${line}</p>`)}`;

const since = (at: string | null): Html =>
  at === null ? html`built in` : html`since <time datetime="${at}">${at.slice(0, 10)}</time>`;

/** Links beside the policy. */
const APPEALS: [string, string][] = [['#appeals', 'Appeals']];
const REPORT: [string, string][] = [['/transparency', 'Transparency report']];

type PolicyDeps = Pick<Parts, 'clock' | 'decisions' | 'routeNames'> & {
  unitOfWork: UnitOfWork<Pick<Parts, 'decisions' | 'audit'>>;
};

/** How publishers appeal decisions. */
const appealSection = (hasReport: boolean): Html => html`<section>
      <h2 id="appeals">Appeals</h2>
      <p>Members of a publisher see every decision about it, with the rule that it cites, under <a href="/account/publishers">Publishers, Decisions</a>.
      They can appeal for 90 days: another moderator than the first decides.${
        hasReport
          ? html` What was decided is counted in the
      <a href="/transparency">transparency report</a>.`
          : ''
      }</p>
    </section>`;

/**
 * The policy with its rules, each with an anchor that decisions link to, and its history.
 * @param has the routes that the store has
 */
function policyPage({ version, intro, rules, at, versions }: Policy, has: Parts['routeNames']): Page {
  const [hasAppeals, hasReport] = [has.has('appeal'), has.has('transparencyPage')];
  const newest = versions[0]?.version ?? version;
  const body = html`<main>
    <section>
      <h1>Policy</h1>
      <p class="hint">Version ${version}, ${since(at)}.${version === newest ? '' : html` <a href="/policy">Read the newest version, ${newest}.</a>`}</p>
      ${lines(intro)}
    </section>
    ${rules.map(({ id, title, text }) => html`<section><h2 id="${id}">${title}</h2>${lines(text)}<p class="hint">Rule <code>${id}</code></p></section>`)}
    ${hasAppeals ? appealSection(hasReport) : ''}
    <section>
      <h2 id="history">History</h2>
      <ul>${versions.map((one) => html`<li><a href="/policy?version=${one.version}">Version ${one.version}</a>, ${since(one.at)}: ${one.note}</li>`)}</ul>
    </section>
  </main>${besides([...rules.map(({ id, title }): [string, string] => [`#${id}`, title]), ...(hasAppeals ? APPEALS : []), ['#history', 'History'], ...(hasReport ? REPORT : [])])}`;
  return { title: 'Policy', crumbs: [['Policy']], body, isText: true };
}

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
 * Publishes a new version of the policy, unless the current one says the same. Earlier ones stay, as decisions cite them.
 * @throws ApiError already_handled when another version was published since `from`
 */
function changePolicy(
  deps: PolicyDeps,
  caller: Caller,
  { from, intro, rules, note }: PolicyChange,
): Promise<Policy> {
  const at = deps.clock().toISOString();
  return deps.unitOfWork(async ({ decisions, audit }) => {
    const current = await decisions.policy();
    if (isDeepStrictEqual({ intro, rules }, { intro: current?.intro, rules: current?.rules }))
      return readPolicy({ decisions });
    const version = current?.version ?? 0;
    const next = { version: version + 1, intro, rules, note, at };
    if ((from !== undefined && from !== version) || !(await decisions.addPolicy(next)))
      throw new ApiError('already_handled', 'The policy was changed in the meantime: read it again.');
    await audit.add(caller, at, { action: 'policy.change', detail: { version: next.version, note } });
    return readPolicy({ decisions });
  });
}

/** The policy of the store, and its versions. */
export const policyRoutes = (deps: PolicyDeps) =>
  ({
    policy: ({ query }) => readPolicy(deps, query.version),
    policyPage: async ({ query }, c) =>
      sendPage(c, policyPage(await readPolicy(deps, query.version), deps.routeNames)),
    changePolicy: ({ caller, body }) => changePolicy(deps, caller, body),
  }) satisfies Handlers;
