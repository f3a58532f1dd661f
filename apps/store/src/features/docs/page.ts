import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { framed, pageHeaders } from '../../http/page.ts';
import type { Brand } from '../../platform/brand.ts';

/** Text of the contract as HTML, with `code` marked. All of it is escaped. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** Lines of code, in a box that scrolls sideways and can be focused by keyboard. The script of the header adds a button that copies them. */
export const codeBlock = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

/** A table that scrolls sideways within itself on a small screen. */
export const table = (label: string, head: string[], rows: unknown): Html => html`
  <div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

/**
 * Puts the frame of a page around its body.
 * @param hasForm whether it has a form that is sent to the store; otherwise its policy forbids forms
 */
export const docsPage = (title: string, body: Html, { hasForm = false } = {}) => ({
  text: (brand: Brand) => framed({ title, body }, 'docs', brand),
  headers: pageHeaders(hasForm ? { formTargets: [] } : {}),
});

/** A page of documentation in the frame of a store, and its security headers. */
export type DocsPage = ReturnType<typeof docsPage>;
