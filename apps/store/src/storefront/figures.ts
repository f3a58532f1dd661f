import type { PublisherSummary } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../http/html.ts';
import { icon } from '../http/icon.ts';
import { WORDS } from './words.ts';

const compact = new Intl.NumberFormat(WORDS.lang, { notation: 'compact', maximumFractionDigits: 1 });
const days = new Intl.DateTimeFormat(WORDS.lang, { dateStyle: 'medium', timeZone: 'UTC' });
const KIB = 1024;

/** A day, as people read it and as machines do. */
export const dayOf = (time: string): Html =>
  html`<time datetime="${time}">${days.format(new Date(time))}</time>`;

/** Bytes, in the unit that needs the fewest digits. */
export function sizeOf(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB * KIB ? `${Math.round(bytes / KIB)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

/** Installs, rounded as people say them; nothing where there are none, which says nothing about an app. */
export const installsOf = (installs: number): Html | string =>
  installs === 0
    ? ''
    : html`<span>${icon('download')}${compact.format(installs)} ${WORDS.installs(installs)}</span>`;

/** Stars and how many gave them, in words for screen readers; nothing where there are none. */
export const ratingOf = ({ average, count }: { average: number; count: number }): Html | string =>
  count === 0
    ? ''
    : html`<span class="rating">${icon('star')}<span class="sr">${WORDS.stars(average.toFixed(1))}, ${count} ${WORDS.ratings(count)}</span><span aria-hidden="true">${average.toFixed(1)} (${compact.format(count)})</span></span>`;

/** The badge of a verified publisher: it says what was verified, which is the host of its website. */
export function verifiedBadge({ verified, verifiedHost }: PublisherSummary): Html | string {
  if (!verified) return '';
  const what = verifiedHost || WORDS.verifiedByStore;
  return html`<span class="verified" title="${WORDS.verified}: ${what}">${icon('badge-check')}<span class="sr">${WORDS.verified}: </span>${what}</span>`;
}
