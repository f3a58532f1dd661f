import { html, raw } from 'hono/html';
import { encode } from 'uqr';
import type { ClientDownload } from '../../core/access/extension.ts';
import { addressOfApp } from '../../core/web/paths.ts';
import { codeBlock } from '../../http/code-block.ts';
import type { Html } from '../../http/html.ts';

const SCAN = 'This page on another device';

/** A QR code (ISO/IEC 18004) as one path, with the quiet zone of four modules that it needs. */
function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${raw(modules.join(''))}"/></svg>`;
}

const SYSTEMS = new Intl.ListFormat('en', { type: 'disjunction' });

/** How to get the client that the store serves. */
const getClient = (appId: string, store: string, download: ClientDownload | null): Html =>
  html`${
    download === null
      ? html`<p>You have no client yet (Node 22.19 or newer)</p>`
      : html`<p>You have no client yet: <a href="${download.path}">download it for ${SYSTEMS.format(download.systems)}</a></p>
    <p>You have Node 22.19 or newer</p>`
  }
    ${codeBlock(`npx ${store}/cli.tgz install ${appId} --store ${store}`)}`;

/**
 * How to install an app when no client takes the link: the script shows it, and without one the page links to `/cli`.
 * @param hasCli whether the store serves the command line, with a client
 * @param download where there is one that needs no Node
 */
export const clientSheet = (
  name: string,
  appId: string,
  store: string,
  { hasCli, download }: { hasCli: boolean; download: ClientDownload | null },
): Html =>
  html`<dialog class="client-sheet" aria-labelledby="client-sheet">
    <h2 id="client-sheet">Install ${name}</h2>
    <p class="hint">If your chat client did not open: it asks once whether web pages may open it; “svc links on” in a terminal allows it later.</p>
    <p>You have svc</p>
    ${codeBlock(`svc install ${appId} --store ${store}`)}
    ${hasCli ? getClient(appId, store, download) : ''}
    <p class="hint">The client verifies the signature, shows what the app may do, and asks you before it installs anything. Users who installed the app rate it there.</p>
    <figure class="cluster">${qrCode(store + addressOfApp(appId), SCAN)}<figcaption>${SCAN}</figcaption></figure>
    <p class="buttons"><button type="button" data-close>Close</button>${hasCli ? html` <a href="/cli#client">About the client</a>` : ''}</p>
  </dialog>`;
