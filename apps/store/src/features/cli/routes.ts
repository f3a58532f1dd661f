import { html } from 'hono/html';
import type { Handlers } from '../../access/bind-route.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { etagOf } from '../../http/encoded-page.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { ApiError } from '../../platform/api-error.ts';
import { codeBlock, type DocsPage, docsPage } from '../docs/page.ts';
import { readServedCli, type ServedCli } from './served-cli.ts';

/** The page that says how to install the command line from this store, and how to verify the download. */
const cliPage = (baseUrl: string, { version, sha256, integrity, body }: ServedCli): DocsPage =>
  docsPage(
    'The command line',
    html`
    ${breadcrumbs(['Documentation', '/docs'], ['The command line'])}
    <div class="intro" role="region" aria-label="About this page">
      <h1>The command line and the client</h1>
      <p><code>svc</code> installs apps in its own client, creates, checks, packs, publishes and verifies apps. This store serves it as one package without dependencies. You need Node 22.19 or newer.</p>
    </div>
    <main>
      <h2 id="client">Get a client</h2>
      <p><code>svc desktop</code> is a chat client on your computer: it installs apps of this store, asks before they act, and calls them from a conversation or a coding agent. It needs Node 24 or newer, and opens in your browser.</p>
      ${codeBlock(`npx ${baseUrl}/cli.tgz desktop`)}
      <p>To keep it, and to let the “Install” buttons of this store open it:</p>
      ${codeBlock(`npm install --global ${baseUrl}/cli.tgz
svc links on --store ${baseUrl}
svc desktop --store ${baseUrl}`)}
      <p><code>svc links off</code> undoes the second line. <a href="/docs/desktop">More about the client</a>.</p>
      <h2 id="run">Run it without installing</h2>
      ${codeBlock(`npx ${baseUrl}/cli.tgz login`)}
      <p>It uses this store, <code>${baseUrl}</code>, unless you name another one with <code>--store</code> or <code>SVC_STORE</code>.</p>
      <h2 id="install">Install it</h2>
      ${codeBlock(`npm install --global ${baseUrl}/cli.tgz
svc login`)}
      <h2 id="verify">Verify the download</h2>
      <p>Version <code>${version}</code>, ${Math.ceil(body.length / 1024)} KiB, has this SHA-256 and this npm integrity:</p>
      ${codeBlock(`${sha256}
${integrity}`)}
      ${codeBlock(`curl -sSO ${baseUrl}/cli.tgz && sha256sum cli.tgz`)}
      <p>Next: <a href="/docs/publishing">publish an app</a>.</p>
    </main>`,
  );

/** How long the package and its page may be cached, in seconds: they change only with the program. */
const CACHE_SECONDS = 300;

type CliDeps = Pick<Parts, 'baseUrl'> & {
  /** The package of the command line; null when it was not built. */ cliFile: string | null;
};

/** The download of the command line, and the page that says how to install it. */
export function cliRoutes({ cliFile, baseUrl }: CliDeps) {
  let served: Promise<ServedCli> | undefined;
  const cli = (): Promise<ServedCli> => {
    if (cliFile === null)
      throw new ApiError(
        'not_found',
        'This store has no command line to download: its operator adds it with npm run build.',
      );
    served ??= readServedCli(cliFile, baseUrl);
    return served;
  };
  const cache = publicFor(CACHE_SECONDS);
  return {
    cliTarball: async (_request, c) => {
      const { body, sha256, version } = await cli();
      return sendCacheable(c, body, {
        'Content-Type': 'application/gzip',
        'Content-Length': String(body.length),
        'Content-Disposition': `attachment; filename="svc-cli-${version}.tgz"`,
        'Cache-Control': cache,
        'X-Content-Type-Options': 'nosniff',
        ETag: `"${sha256}"`,
      });
    },
    cliPage: async (_request, c) => {
      const { text, headers } = cliPage(baseUrl, await cli());
      const body = Buffer.from(text(c.get('brand')));
      const type = 'text/html; charset=utf-8';
      return sendCacheable(c, body, {
        'Content-Type': type,
        'Cache-Control': cache,
        ...headers,
        ETag: etagOf(body),
      });
    },
  } satisfies Handlers;
}
