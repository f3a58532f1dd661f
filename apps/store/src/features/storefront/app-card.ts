import type { CatalogEntry } from '@svc/contracts';
import { html, raw } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { installsOf, ratingOf, verifiedBadge } from './figures.ts';
import { addressOfApp, rasterOf } from './paths.ts';

/** The card of an app in a list, with a heading of the given level. The whole card is a link. */
export function appCard(
  { appId, name, tagline, publisher, iconUrl, rating, installs }: CatalogEntry,
  level: 'h2' | 'h3' = 'h2',
): Html {
  const [open, close] = [raw(`<${level}>`), raw(`</${level}>`)];
  return html`<li class="app"><article class="app-card">
    <img class="app-icon" src="${rasterOf(iconUrl)}" alt="" width="56" height="56" loading="lazy" decoding="async">
    <div>
      ${open}<a href="${addressOfApp(appId)}">${name}</a>${close}
      <p class="by"><bdi>${publisher.name}</bdi> ${verifiedBadge(publisher)}</p>
      <p class="tagline">${tagline}</p>
      <p class="figures">${ratingOf(rating)} ${installsOf(installs)}</p>
    </div>
  </article></li>`;
}
