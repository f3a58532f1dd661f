import type { Policy, Transparency } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';

const lines = (text: string): Html => html`${text.split('\n').map((line) => html`<p>${line}</p>`)}`;

const since = (at: string | null): Html =>
  at === null ? html`built in` : html`since <time datetime="${at}">${at.slice(0, 10)}</time>`;

/** The policy with its rules, each with an anchor that decisions link to, and its history. */
export function policyPage({ version, intro, rules, at, versions }: Policy): Page {
  const newest = versions[0]?.version ?? version;
  const body = html`<main>
    <section>
      <h1>Policy</h1>
      <p class="hint">Version ${version}, ${since(at)}.${version === newest ? '' : html` <a href="/policy">Read the newest version, ${newest}.</a>`}</p>
      ${lines(intro)}
    </section>
    ${rules.map(({ id, title, text }) => html`<section><h2 id="${id}">${title}</h2>${lines(text)}<p class="hint">Rule <code>${id}</code></p></section>`)}
    <section>
      <h2>Appeals</h2>
      <p>Members of a publisher see every decision about it, with the rule that it cites, under <a href="/account/publishers">Publishers, Decisions</a>.
      They can appeal for 90 days: another moderator than the first decides. What was decided is counted in the
      <a href="/transparency">transparency report</a>.</p>
    </section>
    <section>
      <h2>History</h2>
      <ul>${versions.map((one) => html`<li><a href="/policy?version=${one.version}">Version ${one.version}</a>, ${since(one.at)}: ${one.note}</li>`)}</ul>
    </section>
  </main>`;
  return { title: 'Policy', body };
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
  rows: readonly (readonly [string, string, number])[],
) =>
  rows.length === 0
    ? html`<h2>${label}</h2><p>None.</p>`
    : html`<h2>${label}</h2><div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col">Count</th></tr></thead>
      <tbody>${rows.map(([a, b, count]) => html`<tr><td>${a}</td>${b === '' ? '' : html`<td>${b}</td>`}<td>${count}</td></tr>`)}</tbody>
    </table></div>`;

/** What the store decided in a year. */
export function transparencyPage({ year, decisions, appeals, reports }: Transparency): Page {
  const body = html`<main>
    <section>
      <h1>Transparency report ${year}</h1>
      <p>Decisions of this store against apps and publishers, each citing a rule of the <a href="/policy">policy</a>; the appeals of publishers; and
      the reports of users. The same as <a href="/api/transparency?year=${year}">JSON</a>. <a href="/transparency?year=${year - 1}">${year - 1}</a></p>
    </section>
    <section>${table(
      'Decisions',
      ['Decision', 'Rule'],
      decisions.map(({ kind, rule, count }) => [KINDS[kind], rule, count]),
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
  </main>`;
  return { title: `Transparency report ${year}`, body };
}
