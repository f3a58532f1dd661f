import type { Policy, PolicyChange, Transparency } from '@svc/contracts';
import { html } from 'hono/html';
import type { Handlers } from '../../access/bind-route.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { besides, breadcrumbs } from '../../http/shell.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type AppealDeps, answerAppeal, appeal, decideAppeal, decisionsOf, openAppeals } from './appeal.ts';

const lines = (text: string): Html => html`${text.split('\n').map((line) => html`<p>${line}</p>`)}`;

const since = (at: string | null): Html =>
  at === null ? html`built in` : html`since <time datetime="${at}">${at.slice(0, 10)}</time>`;

/** The policy with its rules, each with an anchor that decisions link to, and its history. */
function policyPage({ version, intro, rules, at, versions }: Policy): Page {
  const newest = versions[0]?.version ?? version;
  const body = html`<div class="prose">${breadcrumbs(['Policy'])}<main>
    <section>
      <h1>Policy</h1>
      <p class="hint">Version ${version}, ${since(at)}.${version === newest ? '' : html` <a href="/policy">Read the newest version, ${newest}.</a>`}</p>
      ${lines(intro)}
    </section>
    ${rules.map(({ id, title, text }) => html`<section><h2 id="${id}">${title}</h2>${lines(text)}<p class="hint">Rule <code>${id}</code></p></section>`)}
    <section>
      <h2 id="appeals">Appeals</h2>
      <p>Members of a publisher see every decision about it, with the rule that it cites, under <a href="/account/publishers">Publishers, Decisions</a>.
      They can appeal for 90 days: another moderator than the first decides. What was decided is counted in the
      <a href="/transparency">transparency report</a>.</p>
    </section>
    <section>
      <h2 id="history">History</h2>
      <ul>${versions.map((one) => html`<li><a href="/policy?version=${one.version}">Version ${one.version}</a>, ${since(one.at)}: ${one.note}</li>`)}</ul>
    </section>
  </main>${besides([...rules.map(({ id, title }): [string, string] => [`#${id}`, title]), ['#appeals', 'Appeals'], ['#history', 'History'], ['/transparency', 'Transparency report']])}</div>`;
  return { title: 'Policy', body, isText: true };
}

const KINDS: Readonly<Record<Transparency['decisions'][number]['kind'], string>> = {
  'version-rejected': 'Versions rejected',
  'version-yanked': 'Versions yanked',
  'app-suspended': 'Apps suspended',
  'publisher-suspended': 'Publishers suspended',
  emergency: 'Emergencies',
};

const table = (
  label: string,
  head: readonly string[],
  rows: readonly (readonly [string, string | Html, number])[],
) => {
  const max = Math.max(...rows.map(([, , count]) => count));
  return rows.length === 0
    ? html`<h2>${label}</h2><p>None.</p>`
    : html`<h2>${label}</h2><div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col">Count</th></tr></thead>
      <tbody>${rows.map(([a, b, count]) => html`<tr><td>${a}</td>${b === '' ? '' : html`<td>${b}</td>`}<td>${count} <meter min="0" max="${max}" value="${count}" aria-label="${label}: ${count} of ${max}"></meter></td></tr>`)}</tbody>
    </table></div>`;
};

/** What the store decided in a year. @param rules of the policy, by which decisions are named */
function transparencyPage({ year, decisions, appeals, reports }: Transparency, rules: Policy['rules']): Page {
  const titles = new Map(rules.map(({ id, title }) => [id, title]));
  const ruleOf = (id: string): Html => html`<a href="/policy#${id}">${titles.get(id) ?? id}</a>`;
  const body = html`<div class="prose">${breadcrumbs(['Policy', '/policy'], [`Transparency report ${year}`])}<main>
    <section>
      <h1>Transparency report ${year}</h1>
      <p>Decisions of this store against apps and publishers, each citing a rule of the <a href="/policy">policy</a>; the appeals of publishers; and
      the reports of users. The same as <a href="/api/transparency?year=${year}">JSON</a>.</p>
    </section>
    <section>${table(
      'Decisions',
      ['Decision', 'Rule'],
      decisions.map(({ kind, rule, count }) => [KINDS[kind], ruleOf(rule), count]),
    )}</section>
    <section>${table(
      'Appeals',
      ['State'],
      appeals.map(({ what, count }) => [what, '', count]),
    )}</section>
    <section>${table(
      'Reports of users',
      ['Category', 'State'],
      reports.map(({ category, state, count }) => [category, state, count]),
    )}</section>
  </main>${besides([
    ['/policy', 'Policy'],
    [`/transparency?year=${year - 1}`, `Report ${year - 1}`],
    ['/api/review-clock', 'Review times'],
  ])}</div>`;
  return { title: `Transparency report ${year}`, body, isText: true };
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
    transparencyPage: async ({ query }, c) => {
      const rules = (await deps.decisions.policy())?.rules ?? [];
      return sendPage(c, transparencyPage(await yearOf(query.year), rules));
    },
    decisions: async ({ caller, params }) => ({ decisions: await decisionsOf(deps, caller, params.slug) }),
    appeal: ({ caller, params, body }) => appeal(deps, caller, params, body.text),
    openAppeals: ({ caller }) => openAppeals(deps, caller),
    answerAppeal: ({ caller, params, body }) => answerAppeal(deps, caller, params.id, body.text),
    decideAppeal: ({ caller, params, body }) => decideAppeal(deps, caller, params.id, body),
  } satisfies Handlers;
}
