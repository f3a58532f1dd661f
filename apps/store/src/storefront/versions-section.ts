import type { AppDetail, PublishedVersion } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../http/html.ts';
import { icon } from '../http/icon.ts';
import { dayOf, sizeOf } from './figures.ts';
import { pathOf } from './paths.ts';
import { WORDS } from './words.ts';

const fact = (label: string, value: string): Html => html`<dt>${label}</dt><dd><code>${value}</code></dd>`;

const versionItem = (
  { appId }: AppDetail,
  { version, publishedAt, size, sha256, signature, keyId, bundleUrl }: PublishedVersion,
  { changelog, isFirst }: { changelog: Html | undefined; isFirst: boolean },
): Html => {
  const verifyCommand = `npx ${new URL(bundleUrl).origin}/cli.tgz verify ${appId}@${version}`;
  return html`<li><details${isFirst ? html` open` : ''}>
  <summary><strong>${version}</strong> ${isFirst ? html`<span class="badge">${WORDS.latest}</span> ` : ''}<span class="hint">${dayOf(publishedAt)}, ${sizeOf(size)}</span></summary>
  ${changelog === undefined ? '' : html`<div class="text">${changelog}</div>`}
  <dl class="seal">
    ${fact(WORDS.hash, sha256)}
    ${fact(WORDS.signature, signature)}
    ${fact(WORDS.key, keyId)}
    <dt>${WORDS.bundle}</dt><dd><a href="${pathOf(bundleUrl)}" download>${appId}-${version}.svc-app</a></dd>
    <dt>${WORDS.verify}</dt><dd class="code-block"><pre>${verifyCommand}</pre><button type="button" class="quiet" data-copy="${verifyCommand}" aria-label="${WORDS.copy}" hidden>${icon('copy')}</button></dd>
  </dl>
</details></li>`;
};

/** Every published version, newest first: what changed, and by what it is verified. */
export const versionsSection = (app: AppDetail, changelogs: ReadonlyMap<string, Html>): Html =>
  html`<section class="versions" aria-labelledby="versions">
    <h2 id="versions">${WORDS.versions}</h2>
    <p class="hint">${WORDS.verifyHint}</p>
    <ol>${app.versions.map((version, n) =>
      versionItem(app, version, { changelog: changelogs.get(version.version), isFirst: n === 0 }),
    )}</ol>
  </section>`;
