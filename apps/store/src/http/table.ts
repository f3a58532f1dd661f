import { html } from 'hono/html';
import type { Html } from './html.ts';

/** A table that scrolls sideways within itself on a small screen. */
export const table = (label: string, head: string[], rows: unknown): Html => html`
  <div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="data-table">
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
