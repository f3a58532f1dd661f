import type { CatalogEntry } from '@svc/contracts';
import { type SealFacts, type SealPublisher, sealsOf, verdictOf } from '@svc/permissions';
import { html, raw } from 'hono/html';
import { addressOfApp } from '../../core/web/paths.ts';
import { type Html, icon, wrapsBefore } from '../../http/html.ts';
import { appIcon, installsOf, ratingOf } from './figures.ts';

/** The verdict on the publisher of an app, in words. */
export function verdict(app: SealPublisher): Html {
  const seal = verdictOf(app);
  return html`<span class="seal verdict ${seal.state}" title="${seal.evidence}">${icon(seal.icon)}<span>${wrapsBefore('.', seal.label)}</span></span>`;
}

/**
 * The four facts of an app, which open to their evidence.
 * @param verify the command that checks the signature
 */
export const sealRow = (facts: SealFacts, verify: string): Html =>
  html`<ul class="seals">${sealsOf(facts).map(
    (seal) =>
      html`<li><details name="seal"><summary class="seal ${seal.state}">${icon(seal.icon)}${seal.label}</summary><p>${seal.evidence}${seal.kind === 'signed' ? html` <code>${verify}</code>` : ''}</p></details></li>`,
  )}</ul>`;

/**
 * The card of an app in a list, with a heading of the given level. The whole card is a link.
 * @param isOwn whether the page is that of its publisher, which it need not name
 */
export function appCard(app: CatalogEntry, level: 'h2' | 'h3' = 'h2', isOwn = false): Html {
  const { appId, name, tagline, publisher, rating, installs } = app;
  const [open, close] = [raw(`<${level}>`), raw(`</${level}>`)];
  return html`<li class="app"><article class="app-card covered">
    ${appIcon(app, 56)}
    <div>
      ${open}<a href="${addressOfApp(appId)}">${name}</a>${close}
      ${isOwn ? '' : html`<p class="by"><bdi>${publisher.name}</bdi></p>`}
      <p class="tagline">${tagline}</p>
      <p class="figures">${ratingOf(rating)} ${installsOf(installs)}</p>
      ${isOwn ? '' : html`<p>${verdict(app)}</p>`}
    </div>
  </article></li>`;
}
