import type { CatalogEntry } from '@svc/contracts';
import { count as countText } from '@svc/text/quantity';
import { html } from 'hono/html';
import { rasterOf } from '../../core/web/paths.ts';
import type { Html } from '../../http/html.ts';
import { icon } from '../../http/html.ts';

/** Large numbers in few characters. */
export const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** The rounded number of installs; nothing for 0, which says nothing about an app. */
export const installsOf = (installs: number): Html | string =>
  installs === 0
    ? ''
    : html`<span>${icon('download')}${compact.format(installs)} ${installs === 1 ? 'install' : 'installs'}</span>`;

/** The icon of an app on a halo of its accent. */
export const appIcon = (
  { iconUrl, accent }: Pick<CatalogEntry, 'iconUrl' | 'accent'>,
  size: number,
  loading: 'lazy' | 'eager' = 'lazy',
): Html =>
  html`<span class="halo">${accent === '' ? '' : html`<svg aria-hidden="true" color="${accent}"></svg>`}<img class="app-icon" src="${rasterOf(iconUrl, '192')}" alt="" width="${size}" height="${size}" loading="${loading}" decoding="async"></span>`;

/** The accent of an app, a publisher or a category, which tints the top of its page. An attribute names it, as pages have no inline styles. */
export const accentOf = (colour: string): Html | string =>
  colour === '' ? '' : html`<svg class="accent" aria-hidden="true" color="${colour}"></svg>`;

/** The heading of a list of apps, and the address of all of them where there are more. */
export const listHead = (id: string, title: string, all?: string): Html =>
  html`<div class="cluster apart list-head"><h2 id="${id}">${title}</h2>${all === undefined ? '' : html` <a href="${all}">See all</a>`}</div>`;

/** A letter or an icon in place of an app's icon. */
export const monogram = (sign: Html | string, colour: string): Html =>
  html`<svg class="app-icon monogram" width="96" height="96" viewBox="0 0 96 96" aria-hidden="true"${colour === '' ? '' : html` color="${colour}"`}>${typeof sign === 'string' ? html`<text x="48" y="48">${sign}</text>` : html`<g transform="translate(24 24) scale(0.5)">${sign}</g>`}</svg>`;

/** The average rating with the number of ratings, spelled out for screen readers; nothing without ratings. */
export const ratingOf = ({ average, count }: { average: number; count: number }): Html | string =>
  count === 0
    ? ''
    : html`<span class="rating">${icon('star')}<span class="sr">${average.toFixed(1)} of 5 stars, ${countText(count, 'rating')}</span><span aria-hidden="true">${average.toFixed(1)} (${compact.format(count)})</span></span>`;
