import { type AppDetail, type PublishedVersion, sourceName, type VersionAttestation } from '@svc/contracts';
import { sizeText } from '@svc/text/quantity';
import { html, raw } from 'hono/html';
import { MAX_CHANGELOGS } from '../../core/catalog/with-rendered.ts';
import { addressOfApp, pathOf } from '../../core/web/paths.ts';
import { codeBlock } from '../../http/code-block.ts';
import { dayOf, type Html } from '../../http/html.ts';

/**
 * Hides the first heading of a rendered text if it repeats the heading above the text: the app's name over its README, the version over its
 * changelog. It stays for screen readers, as part of the outline.
 */
export function hideHeading(rendered: Html, repeated: string): Html {
  const text = String(rendered).trimStart();
  const [open = '', id] = /^<h3( id="[^"]*")?(?: align="[a-z]*")?>/.exec(text) ?? [];
  const rest = text.slice(open.length);
  const heading = String(html`${repeated}</h3>`);
  return open !== '' && rest.startsWith(heading)
    ? html`<h3 class="sr"${raw(id ?? '')}>${repeated}</h3>${raw(rest.slice(heading.length))}`
    : rendered;
}

const fact = (label: string, value: string): Html => html`<dt>${label}</dt><dd><code>${value}</code></dd>`;

/** The job that built a version, by its attestation. Its certificate vouches for the address of the job. */
const builtBy = (attestation: VersionAttestation, path: string): Html => html`<dt>Built by</dt>
    <dd><code>${sourceName(attestation)}</code>${attestation.run === null ? '' : html`, <a href="${attestation.run}" rel="nofollow ugc noopener">the job</a>`}</dd>
    ${fact('From commit', attestation.commit)}
    <dt>Attestation</dt><dd><a href="${path}">Sigstore bundle</a></dd>`;

/** The command that verifies the signature of a version. @param hasCli whether the store serves the command line */
export const verifyCommand = (hasCli: boolean, store: string, appId: string, version: string): string =>
  `${hasCli ? `npx ${store}/cli.tgz` : 'svc'} verify ${appId}@${version}${hasCli ? '' : ` --store ${store}`}`;

const versionItem = (
  { appId }: AppDetail,
  {
    version,
    publishedAt,
    size,
    sha256,
    signature,
    keyId,
    bundleUrl,
    source,
    attestation,
    origin,
  }: PublishedVersion,
  { changelog, isLatest, hasCli }: { changelog: Html | undefined; isLatest: boolean; hasCli: boolean },
): Html => html`<li><details${isLatest ? html` open` : ''}>
  <summary><strong>${version}</strong> ${isLatest ? html`<span class="badge">latest</span> ` : ''}<span class="hint">${dayOf(publishedAt)}, ${sizeText(size)}</span></summary>
  ${changelog === undefined ? '' : html`<div class="text">${hideHeading(changelog, version)}</div>`}
  <details class="proof"><summary>Hash, signature and how to verify them</summary><dl class="facts">
    ${fact('SHA-256', sha256)}
    ${attestation ? builtBy(attestation, `${pathOf(bundleUrl).slice(0, -'bundle'.length)}attestation`) : ''}
    ${source ? fact('Uploaded by', [sourceName(source), source.commit ?? ''].join(' ').trim()) : ''}
    ${fact('Signature (Ed25519)', signature)}
    ${fact('Signed by key', keyId)}
    ${origin ? html`${fact('From', origin.store)}${fact('Signed there by key', origin.keyId)}${fact('Signature there (Ed25519)', origin.signature)}` : ''}
    <dt>Bundle</dt><dd><a href="${pathOf(bundleUrl)}" download>${appId}-${version}.svc-app</a></dd>
    <dt>Verify it yourself</dt><dd>${codeBlock(verifyCommand(hasCli, new URL(bundleUrl).origin, appId, version))}</dd>
  </dl>
  <p class="hint">The command downloads the bundle, rebuilds the signed facts from the manifest inside, and checks the signature over them.</p></details>
</details></li>`;

const turn = (appId: string, page: number, words: string): Html =>
  html`<a class="button" rel="nofollow" href="${addressOfApp(appId)}?versions=${page}#versions">${words}</a>`;

export const VERSIONS_A_PAGE = MAX_CHANGELOGS;

/**
 * A page of the published versions, newest first, with changelogs and signatures. The app has one version more than the page shows when
 * older ones follow.
 */
export function versionsSection(
  app: AppDetail,
  {
    changelogs,
    versionPage: page,
    hasCli,
  }: { changelogs: ReadonlyMap<string, Html>; versionPage: number; hasCli: boolean },
): Html {
  const shown = app.versions.slice(0, VERSIONS_A_PAGE);
  const turns = [
    ...(page > 1 ? [turn(app.appId, page - 1, 'Newer versions')] : []),
    ...(app.versions.length > shown.length ? [turn(app.appId, page + 1, 'Older versions')] : []),
  ];
  return html`<section class="versions" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <ol>${shown.map((version) =>
      versionItem(app, version, {
        changelog: changelogs.get(version.version),
        isLatest: version.version === app.version,
        hasCli,
      }),
    )}</ol>
    ${turns.length === 0 ? '' : html`<p class="more">${turns}</p>`}
  </section>`;
}
