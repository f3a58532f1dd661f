import type { Issue, VersionState, VersionStatus } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';

/** A state in a word, and what it means for the publisher. */
const STATES: Readonly<Record<VersionState, [string, string]>> = {
  submitted: ['Submitted', 'The checks have not started yet.'],
  checking: ['Being checked', 'The checks are running.'],
  in_review: ['In review', 'A moderator looks at it before it is published.'],
  approved: ['Approved', 'It will be signed and published in a moment.'],
  rejected: [
    'Rejected',
    'It will not be published. Change what the notes name, and upload a greater version.',
  ],
  published: ['Published', 'It is in the catalogue, and users can install it.'],
  yanked: ['Yanked', 'It was withdrawn. Clients that have it switch it off.'],
};
const RETRACTED: [string, string] = ['Retracted', 'Its publisher took it back before it was decided.'];

const issueItem = ({ level, code, path, message, docs }: Issue): Html =>
  html`<li><strong>${level}</strong> ${docs === undefined ? html`<code>${code}</code>` : html`<a href="${docs}"><code>${code}</code></a>`}
    ${path === '' ? '' : html`<code>${path}</code>`} ${message}</li>`;

function reviewFacts({ reasons = [], review, changesRequestedAt }: VersionStatus): Html {
  return html`${changesRequestedAt === undefined ? '' : html`<p><strong>Changes requested.</strong> Members of its publisher read and answer the moderator in their dashboard.</p>`}
  <dl>
    ${reasons.length === 0 ? '' : html`<dt>Why</dt><dd>${reasons.join(', ')}</dd>`}
    ${review === undefined || review === null ? '' : html`<dt>Place</dt><dd>${review.position} of ${review.of}</dd><dt>Due by</dt><dd><time datetime="${review.dueAt}">${review.dueAt}</time></dd>`}
  </dl>`;
}

/** How an uploaded version fares, for a person who opens its `reviewUrl`: what the status endpoint says, as a page. */
export function statusPage(status: VersionStatus): Page {
  const { appId, version, issues, notes } = status;
  const [name, meaning] = status.retracted ? RETRACTED : STATES[status.status];
  const body = html`<main>
    <section>
      <h1>${appId} ${version}</h1>
      <p><strong>${name}</strong></p>
      <p>${meaning}</p>
      ${status.status === 'in_review' ? reviewFacts(status) : ''}
      ${notes === '' ? '' : html`<h2>Notes</h2>${notes.split('\n').map((line) => html`<p>${line}</p>`)}`}
      ${status.status === 'published' ? html`<p><a href="/apps/${appId}">See it in the catalogue</a></p>` : ''}
    </section>
    ${issues.length === 0 ? '' : html`<section><h2>Findings</h2><ul>${issues.map(issueItem)}</ul></section>`}
    <section>
      <p class="hint">Members of its publisher find everything else about it in <a href="/publishers">their dashboard</a>.</p>
    </section>
  </main>`;
  return { title: `${appId} ${version}: ${name.toLowerCase()}`, body };
}
