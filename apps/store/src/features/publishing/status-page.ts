import type { Issue, VersionState, VersionStatus } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';

/** The name of a state, and its meaning for the publisher. */
const STATES: Readonly<Record<VersionState, [string, string]>> = {
  submitted: ['Submitted', 'The checks have not started yet.'],
  checking: ['Being checked', 'The checks are running.'],
  in_review: ['In review', 'A moderator reviews it before it is published.'],
  approved: ['Approved', 'It will be signed and published in a moment.'],
  rejected: ['Rejected', 'It will not be published. Fix what the notes say, and upload a higher version.'],
  published: ['Published', 'It is in the catalogue, and users can install it.'],
  yanked: ['Yanked', 'It was yanked. Clients that have it turn it off.'],
};
const RETRACTED: [string, string] = ['Retracted', 'Its publisher retracted it before a decision.'];

const issueItem = ({ level, code, path, message, docs }: Issue): Html =>
  html`<li><strong>${level}</strong> ${docs === undefined ? html`<code>${code}</code>` : html`<a href="${docs}"><code>${code}</code></a>`}
    ${path === '' ? '' : html`<code>${path}</code>`} ${message}</li>`;

function reviewFacts({ reasons = [], review, changesRequestedAt }: VersionStatus): Html {
  return html`${changesRequestedAt === undefined ? '' : html`<p><strong>Changes requested.</strong> Members of its publisher can read and answer the request in their dashboard.</p>`}
  <dl>
    ${reasons.length === 0 ? '' : html`<dt>Reasons</dt><dd>${reasons.join(', ')}</dd>`}
    ${review === undefined || review === null ? '' : html`<dt>Place in the queue</dt><dd>${review.position} of ${review.of}</dd><dt>Due by</dt><dd><time datetime="${review.dueAt}">${review.dueAt}</time></dd>${review.expectedAt === undefined ? '' : html`<dt>Probably decided</dt><dd><time datetime="${review.expectedAt}">${review.expectedAt}</time> (<a href="/api/review-clock">review times</a>)</dd>`}`}
  </dl>`;
}

/** The status of an uploaded version as a page, at its `reviewUrl`. */
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
      <p class="hint">Members of its publisher find more details in <a href="/publishers">their dashboard</a>.</p>
    </section>
  </main>`;
  return { title: `${appId} ${version}: ${name.toLowerCase()}`, body };
}
