import type { Policy, Transparency } from '@svc/contracts';
import { html } from 'hono/html';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { besides } from '../../http/shell.ts';
import type { YearStore } from './year-store.ts';

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
  const body = html`<main>
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
  ])}`;
  const title = `Transparency report ${year}`;
  return { title, crumbs: [['Policy', '/policy'], [title]], body, isText: true };
}

export type TransparencyDeps = Pick<Parts, 'clock' | 'decisions'> & { years: YearStore };

/** What the store decided in a year, as numbers. */
export function transparencyRoutes(deps: TransparencyDeps): HandlersOf<'transparency'> {
  const yearOf = async (year = deps.clock().getUTCFullYear()) => ({
    year,
    ...(await deps.years.countYear(year)),
  });
  return {
    transparency: ({ query }) => yearOf(query.year),
    transparencyPage: async ({ query }, c) => {
      const rules = (await deps.decisions.policy())?.rules ?? [];
      return sendPage(c, transparencyPage(await yearOf(query.year), rules));
    },
  };
}
