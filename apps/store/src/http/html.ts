import { html, raw } from 'hono/html';
import { ICONS } from './own-files.ts';

/** Markup of the template tag of hono, which escapes every value. */
export type Html = ReturnType<typeof html>;

/**
 * Renders an icon next to a text with the same meaning. Screen readers ignore it.
 * @throws when there is no icon of this name; `tools/gen/icons.ts` lists them
 */
export function icon(name: string): Html {
  const inner = ICONS[name];
  if (inner === undefined) throw new Error(`Unknown icon: ${name}.`);
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${raw(inner)}</svg>`;
}

/** Text with `code` marked, as Markdown does. All of it is escaped. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** Text that wraps before a separator sooner than within a word: hosts before their dots, paths before their slashes. */
export const wrapsBefore = (separator: '.' | '/', text: string): Html =>
  html`${text.split(separator).map((part, n) => (n === 0 ? part : html`<wbr>${separator}${part}`))}`;

const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** A date and time in UTC, formatted and machine-readable. */
export const momentOf = (time: string): Html =>
  html`<time datetime="${time}">${moments.format(new Date(time))} UTC</time>`;

/** A date, formatted and machine-readable. */
export const dayOf = (time: string): Html =>
  html`<time datetime="${time}">${days.format(new Date(time))}</time>`;
