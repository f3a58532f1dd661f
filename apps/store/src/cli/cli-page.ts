import { html } from 'hono/html';
import { type DocsPage, docsPage } from '../docs/page.ts';
import type { ServedCli } from './served-cli.ts';

/** How to get the command line from this store, and how to tell that it is the one the store serves. */
export const cliPage = (baseUrl: string, { version, sha256, integrity, body }: ServedCli): DocsPage =>
  docsPage(
    'The command line',
    html`
    <div class="intro" role="region" aria-label="About this page">
      <h1>The command line</h1>
      <p><code>svc</code> makes, checks, packs, publishes and verifies apps. This store serves it as one package that needs no other. You need Node 22.19 or newer.</p>
    </div>
    <main>
      <h2 id="run">Run it without installing</h2>
      <pre tabindex="0"><code>npx ${baseUrl}/cli.tgz login</code></pre>
      <p>It talks to this store, <code>${baseUrl}</code>, unless <code>--store</code> or <code>SVC_STORE</code> names another.</p>
      <h2 id="install">Install it</h2>
      <pre tabindex="0"><code>npm install --global ${baseUrl}/cli.tgz
svc login</code></pre>
      <h2 id="verify">Check what you got</h2>
      <p>This is version <code>${version}</code>, ${Math.ceil(body.length / 1024)} KiB, with this SHA-256 and npm integrity:</p>
      <pre tabindex="0"><code>${sha256}
${integrity}</code></pre>
      <pre tabindex="0"><code>curl -sSO ${baseUrl}/cli.tgz && sha256sum cli.tgz</code></pre>
      <p>Next: <a href="/docs/publishing">publish an app</a>.</p>
    </main>`,
  );
