import type { Issue, VersionState, VersionStatus } from '@svc/contracts';
import { html } from 'hono/html';
import { type Html, momentOf } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Crumb } from '../../http/shell.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { rasterOf } from '../web/paths.ts';

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
const HELD: [string, string] = [
  'On hold',
  'It waits, outside of the review queue, until the suspension of its publisher, its app or its uploader ends.',
];
const RETRACTED: [string, string] = ['Retracted', 'Its publisher retracted it before a decision.'];

const issueItem = ({ level, code, path, message, docs }: Issue): Html =>
  html`<li class="${level}"><span class="level">${level}</span> ${docs === undefined ? html`<code>${code}</code>` : html`<a href="${docs}"><code>${code}</code></a>`}
    ${path === '' ? '' : html`<code>${path}</code>`}<br>${message}</li>`;

/** The states that a version passes, in this order; a decision against it ends the list. */
const WAY: readonly VersionState[] = ['submitted', 'checking', 'in_review', 'approved', 'published'];

/** Where a version is on its way, and what that means. */
const wordsOf = ({ status, retracted, held }: VersionStatus): [string, string] =>
  retracted ? RETRACTED : held ? HELD : STATES[status];

function timeline(version: VersionStatus): Html {
  const { status, publishedAt } = version;
  const at = WAY.indexOf(status);
  const isOver = at < 0;
  // Only what is reviewed can be rejected or retracted; whether the rest was is not public.
  const way = (from: number, to?: number) =>
    WAY.slice(from, to).filter((one) => one !== 'in_review' || status === 'rejected');
  const before = status === 'yanked' ? way(0) : way(0, isOver ? 3 : at);
  const ahead = isOver ? [] : way(at + 1);
  const [name, meaning] = wordsOf(version);
  const here = isOver ? 'bad' : status === 'published' ? 'done' : 'now';
  const timeOf = (state: VersionState) =>
    state === 'published' && publishedAt !== undefined ? html` ${momentOf(publishedAt)}` : '';
  return html`<ol class="steps">${before.map((one) => html`<li class="done"><strong>${STATES[one][0]}</strong>${timeOf(one)}</li>`)}
    <li class="${here}" aria-current="step"><strong>${name}</strong>${timeOf(status)}<p>${meaning}</p></li>
    ${ahead.map((one) => html`<li class="ahead">${STATES[one][0]}</li>`)}</ol>`;
}

function reviewFacts({ reasons = [], review, changesRequestedAt }: VersionStatus): Html {
  return html`${changesRequestedAt === undefined ? '' : html`<p><strong>Changes requested.</strong> Members of its publisher can read and answer the request in their dashboard.</p>`}
  <dl class="facts">
    ${reasons.length === 0 ? '' : html`<dt>Reasons</dt><dd>${reasons.join(', ')}</dd>`}
    ${!review ? '' : html`<dt>Place in the queue</dt><dd>${review.position} of ${review.of}</dd><dt>Due by</dt><dd>${momentOf(review.dueAt)}</dd>${review.expectedAt === undefined ? '' : html`<dt>Probably decided</dt><dd>${momentOf(review.expectedAt)} (<a href="/api/review-clock">review times</a>)</dd>`}`}
  </dl>`;
}

/** An app as the catalogue shows it. */
type Shown = { name: string; icon: string };

/** What the catalogue shows of the app of a version; null when it lists none, as names of unpublished apps are not public. */
export async function listedAs(
  { listings, versions, addresses }: Pick<Parts, 'listings' | 'versions' | 'addresses'>,
  appId: string,
): Promise<Shown | null> {
  const listed = await listings.find(appId);
  const record = listed && (await versions.find(listed));
  if (!record) return null;
  const { name, branding } = record.manifest;
  return { name, icon: rasterOf(addresses.file(record, branding.icon), '192') };
}

/**
 * The status of an uploaded version as a page, at its `reviewUrl`.
 * @param hasAppPage whether the store has pages of apps
 */
export function statusPage(status: VersionStatus, app: Shown | null, hasAppPage: boolean): Page {
  const { appId, version, issues, notes } = status;
  const [name] = wordsOf(status);
  const heading = app === null ? appId : app.name;
  const body = html`<main class="version-status">
    <section>
      <div class="cluster">${app === null ? '' : html`<img class="app-icon" src="${app.icon}" alt="" width="48" height="48">`}
      <h1><bdi>${heading}</bdi> ${version}</h1></div>
      ${app === null ? '' : html`<p class="hint"><code>${appId}</code></p>`}
      ${timeline(status)}
      ${status.status === 'in_review' ? reviewFacts(status) : ''}
      ${notes === '' ? '' : html`<h2>Notes</h2>${notes.split('\n').map((line) => html`<p>${line}</p>`)}`}
      ${hasAppPage && status.status === 'published' ? html`<p><a class="button main" href="/apps/${appId}">See it in the catalogue</a></p>` : ''}
      <p class="hint">Members of its publisher find more details in <a href="/account/publishers">their dashboard</a>.</p>
    </section>
    ${issues.length === 0 ? '' : html`<section><h2>Findings</h2><ul class="findings">${issues.map(issueItem)}</ul></section>`}
  </main>`;
  const crumbs: Crumb[] = [hasAppPage && app !== null ? [heading, `/apps/${appId}`] : [heading], [version]];
  return { title: `${heading} ${version}: ${name.toLowerCase()}`, crumbs, body };
}
