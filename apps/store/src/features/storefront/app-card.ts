import type { CatalogEntry } from '@svc/contracts';
import { type Seal, type SealFacts, sealsOf } from '@svc/permissions';
import { html, raw } from 'hono/html';
import { type Html, icon } from '../../http/html.ts';
import { appIcon, installsOf, ratingOf } from './figures.ts';
import { addressOfApp } from './paths.ts';

const mark = (state: Seal['state']): Html => icon(`seal-${state}`);

/** The seals of an app in a list: one label, and icons with their words for screen readers. */
export const sealRow = (facts: SealFacts): Html =>
  html`<ul class="seals">${sealsOf(facts).map(
    ({ state, label }, n) =>
      html`<li class="seal ${state}" title="${label}">${mark(state)}<span class="${n === 0 ? '' : 'unseen'}">${label}</span></li>`,
  )}</ul>`;

/**
 * The seals of an app, which open to their evidence.
 * @param verify the command that checks the signature
 */
export const openSealRow = (facts: SealFacts, verify: string): Html =>
  html`<ul class="seals">${sealsOf(facts).map(
    ({ kind, state, label, evidence }) =>
      html`<li><details name="seal"><summary class="seal ${state}">${mark(state)}${label}</summary><p>${evidence}${kind === 'signed' ? html` <code>${verify}</code>` : ''}</p></details></li>`,
  )}</ul>`;

/** The card of an app in a list, with a heading of the given level. The whole card is a link. */
export function appCard(app: CatalogEntry, level: 'h2' | 'h3' = 'h2'): Html {
  const { appId, name, tagline, publisher, rating, installs } = app;
  const [open, close] = [raw(`<${level}>`), raw(`</${level}>`)];
  return html`<li class="app"><article class="app-card covered">
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
