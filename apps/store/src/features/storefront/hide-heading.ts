import { html, raw } from 'hono/html';
import type { Html } from '../../http/html.ts';

/**
 * Hides the first heading of a rendered text if it repeats the heading above the text: the app's name over its README, the version over its
 * changelog. It stays for screen readers, as part of the outline.
 */
export function hideHeading(rendered: Html, repeated: string): Html {
  const [text, heading] = [String(rendered).trimStart(), String(html`<h3>${repeated}</h3>`)];
  return text.startsWith(heading)
    ? html`<h3 class="sr">${repeated}</h3>${raw(text.slice(heading.length))}`
    : rendered;
}
