import { sizeText } from '@svc/text/quantity';
import { html } from 'hono/html';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { type DocsPage, docsPage } from '../../core/web/docs-page.ts';
import { codeBlock, codeTabs } from '../../http/code-block.ts';
import type { Html } from '../../http/html.ts';
import { besides } from '../../http/shell.ts';
import { table } from '../../http/table.ts';
import type { Download } from './downloads.ts';
import type { ServedCli } from './served-cli.ts';

/** The file with the hashes of all downloads, as `sha256sum` prints and reads them. */
export const SUMS = 'SHA256SUMS';

const PARTS = [
  ['download', 'Download, without Node'],
  ['client', 'Get a client'],
  ['publish', 'Publish and check apps'],
  ['verify', 'Verify the download'],
] as const;

const heading = ([id, title]: (typeof PARTS)[number]): Html => html`<h2 id="${id}">${title}</h2>`;

/** The names of systems, and the file that starts the client there. */
const SYSTEMS: Readonly<Record<string, { title: string; start: string }>> = {
  'linux-x64': { title: 'Linux (x64)', start: 'chat' },
  'linux-arm64': { title: 'Linux (ARM64)', start: 'chat' },
  'macos-arm64': { title: 'macOS (Apple silicon)', start: 'chat.command' },
  'macos-x64': { title: 'macOS (Intel)', start: 'chat.command' },
  'windows-x64': { title: 'Windows (x64)', start: 'chat.cmd' },
};

/** The page of the downloads, at their table. */
export const DOWNLOADS_PATH = `/cli#${PARTS[0][0]}`;

/** Systems as people call them, each once and without its processor. */
export const systemTitles = (systems: readonly string[]): string[] => [
  ...new Set(systems.map((system) => (SYSTEMS[system]?.title ?? system).split(' (')[0] ?? system)),
];

function downloadRow({ name, system, bytes }: Download): Html {
  const { title, start } = SYSTEMS[system] ?? { title: system, start: 'chat' };
  return html`<tr><td><a href="/downloads/${name}">${title}</a></td><td>${sizeText(bytes)}</td><td><code>${start}</code></td></tr>`;
}

const downloadsSection = (baseUrl: string, downloads: readonly Download[]): Html => html`
      ${heading(PARTS[0])}
      <p>The client and the command line in one file, with a Node of their own. Unpack it where it may stay, and open the file that is named beside it: the client opens in your browser.</p>
      ${table('Downloads', ['Download', 'Size', 'Open'], downloads.map(downloadRow))}
      <p>Neither Apple nor Microsoft has checked these files. On macOS choose <em>Open</em> in the menu of <code>chat.command</code>; on Windows choose <em>More info</em>, then <em>Run anyway</em>. <code>svc desktop --install</code> adds the client to the menu of programs.</p>
      <p>Check them by their hashes, which this store signs. <code>store.pem</code> is its public key (<a href="/api/apps/public-keys">the list</a>):</p>
      ${codeBlock(`curl -sSO ${baseUrl}/downloads/${SUMS} -O ${baseUrl}/downloads/${SUMS}.sig
openssl pkeyutl -verify -rawin -pubin -inkey store.pem -in ${SUMS} -sigfile ${SUMS}.sig
sha256sum -c --ignore-missing ${SUMS}`)}`;

export type PageDeps = Pick<Parts, 'baseUrl' | 'routeNames'>;

/** The page that says how to install the command line from this store, and how to verify the download. */
export function cliPage(
  { baseUrl, routeNames }: PageDeps,
  { version, sha256, integrity, body }: ServedCli,
  downloads: readonly Download[],
): DocsPage {
  const hasDownloads = downloads.length > 0;
  const hasDocs = routeNames.has('docsPage');
  const more = (path: string, what: string) =>
    hasDocs ? html` <a href="${path}">More about ${what}</a>.` : '';
  return docsPage({
    title: 'The command line',
    crumbs: [...(hasDocs ? [['Documentation', '/docs'] as const] : []), ['The command line']],
    body: html`<main>
      <h1>The command line and the client</h1>
      <p><code>svc</code> installs apps in its own client, creates, checks, packs, publishes and verifies apps. This store serves it as one package that needs no other. You need Node 22.19 or newer${hasDownloads ? ', or one of the downloads' : ''}.</p>
      ${hasDownloads ? downloadsSection(baseUrl, downloads) : ''}
      ${heading(PARTS[1])}
      <p><code>svc desktop</code> is a chat client on your computer: it installs apps of this store, asks before they act, and calls them from a conversation or a coding agent. It needs Node 22.19 or newer, and opens in your browser.</p>
      ${codeBlock(`npx ${baseUrl}/cli.tgz desktop`)}
      <p>To keep it, and to let the “Install” buttons of this store open it:</p>
      ${codeBlock(`npm install --global ${baseUrl}/cli.tgz
svc links on --store ${baseUrl}
svc desktop --store ${baseUrl}`)}
      <p><code>svc links off</code> undoes the second line.${more('/docs/desktop', 'the client')}</p>
      ${heading(PARTS[2])}
      ${codeTabs('way', 'Sign in with', {
        npx: codeBlock(`npx ${baseUrl}/cli.tgz login`, 'sh'),
        npm: codeBlock(`npm install --global ${baseUrl}/cli.tgz\nsvc login`, 'sh'),
      })}
      <p>It uses this store, <code>${baseUrl}</code>, unless you name another one with <code>--store</code> or <code>SVC_STORE</code>.
      Where npm reaches no registry, add <code>--fetch-retries=0</code>: otherwise it looks for optional packages for minutes.${more('/docs/company#without-the-internet', 'companies')}</p>
      ${hasDocs ? html`<p><a class="button main" href="/docs/publishing">Publish an app</a></p>` : ''}
      ${heading(PARTS[3])}
      <p>Version <code>${version}</code>, ${Math.ceil(body.length / 1024)} KiB. The command downloads it and compares its SHA-256:</p>
      ${codeBlock(`curl -sSO ${baseUrl}/cli.tgz && echo '${sha256}  cli.tgz' | sha256sum -c`)}
      <p>npm writes this integrity to a lock file:</p>
      ${codeBlock(integrity)}
    </main>
    ${besides(
      PARTS.filter((part) => hasDownloads || part !== PARTS[0]).map(([id, title]) => [`#${id}`, title]),
      'On this page',
    )}`,
  });
}
