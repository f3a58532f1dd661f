import type { CatalogEntry } from '@svc/contracts';
import { html, raw } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { appIcon, installsOf, ratingOf } from './figures.ts';
import { addressOfApp } from './paths.ts';
import { sealRow } from './seal-row.ts';

/** The card of an app in a list, with a heading of the given level. The whole card is a link. */
export function appCard(app: CatalogEntry, level: 'h2' | 'h3' = 'h2'): Html {
  const { appId, name, tagline, publisher, rating, installs } = app;
  const [open, close] = [raw(`<${level}>`), raw(`</${level}>`)];
  return html`<li class="app"><article class="app-card">
    ${appIcon(app, 56)}
    <div>
      ${open}<a href="${addressOfApp(appId)}">${name}</a>${close}
      <p class="by"><bdi>${publisher.name}</bdi></p>
      <p class="tagline">${tagline}</p>
      <p class="figures">${ratingOf(rating)} ${installsOf(installs)}</p>
      ${sealRow(app)}
    </div>
  </article></li>`;
}
