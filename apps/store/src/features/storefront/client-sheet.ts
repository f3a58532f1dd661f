import { html, raw } from 'hono/html';
import { encode } from 'uqr';
import type { Html } from '../../http/html.ts';
import { icon } from '../../http/icon.ts';
import { addressOfApp } from './paths.ts';
import { WORDS } from './words.ts';

/** A link that a client opens. Any local program can claim its scheme, so it carries no secret. */
export const addressInClient = (action: 'install' | 'rate', appId: string, store: string): string =>
  `svc://${action}/${encodeURIComponent(appId)}?store=${encodeURIComponent(store)}`;

const command = (text: string): Html =>
  html`<div class="code-block"><pre>${text}</pre><button type="button" class="quiet" data-copy="${text}" aria-label="${WORDS.copy}" hidden>${icon('copy')}</button></div>`;

/** A QR code (ISO/IEC 18004) as one path, with the quiet zone of four modules that it needs. */
function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${raw(modules.join(''))}"/></svg>`;
}

/** How to install an app when no client takes the link: the script shows it, and without one the page links to `/cli`. */
export const clientSheet = (name: string, appId: string, store: string): Html =>
  html`<dialog class="client-sheet" aria-labelledby="client-sheet">
    <h2 id="client-sheet">${WORDS.inClient.title(name)}</h2>
    <p class="hint">${WORDS.inClient.nothing}</p>
    <p>${WORDS.inClient.have}</p>
    ${command(`svc install ${appId} --store ${store}`)}
    <p>${WORDS.inClient.none}</p>
    ${command(`npx ${store}/cli.tgz install ${appId} --store ${store}`)}
    <p class="hint">${WORDS.inClient.check}</p>
    <figure>${qrCode(store + addressOfApp(appId), WORDS.inClient.scan)}<figcaption>${WORDS.inClient.scan}</figcaption></figure>
    <p class="buttons"><button type="button" data-close>${WORDS.close}</button> <a href="/cli#client">${WORDS.inClient.more}</a></p>
  </dialog>`;
