import { html, raw } from 'hono/html';
import type { Html } from '../../http/html.ts';

/**
 * Hides the first heading of a rendered text if it repeats the heading above the text: the app's name over its README, the version over its
 * changelog. It stays for screen readers, as part of the outline.
 */
export function hideHeading(rendered: Html, repeated: string): Html {
  const text = String(rendered).trimStart();
  const [open = '', id] = /^<h3( id="[^"]*")?(?: align="[a-z]*")?>/.exec(text) ?? [];
  const rest = text.slice(open.length);
  const heading = String(html`${repeated}</h3>`);
  return open !== '' && rest.startsWith(heading)
    ? html`<h3 class="sr"${raw(id ?? '')}>${repeated}</h3>${raw(rest.slice(heading.length))}`
    : rendered;
}
