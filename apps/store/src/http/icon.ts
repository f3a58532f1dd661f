import { html, raw } from 'hono/html';
import type { Html } from './html.ts';
import { ICONS } from './own-files.ts';

/**
 * An icon beside words that say the same: nothing is read out for it.
 * @throws when there is no icon of this name; `scripts/gen/icons.ts` lists them
 */
export function icon(name: string): Html {
  const inner = ICONS[name];
  if (inner === undefined) throw new Error(`There is no icon ${name}.`);
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${raw(inner)}</svg>`;
}
