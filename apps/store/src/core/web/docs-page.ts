import { html } from 'hono/html';
import { codeBlock as copiedBlock } from '../../http/code-block.ts';
import type { Html } from '../../http/html.ts';
import { framed, pageHeaders } from '../../http/page.ts';
import type { ShellSearch } from '../../http/shell.ts';
import type { Brand } from '../../platform/brand.ts';
import { highlighted } from '../../http/highlight.ts';

/** Text of the contract as HTML, with `code` marked. All of it is escaped. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** @param language as a fence of Markdown names it */
export const codeBlock = (text: string, language = ''): Html => copiedBlock(highlighted(text, language));

/**
 * Blocks of code of which one is shown: radio buttons, as they need no script and arrow keys choose among them.
 * @param name unique within the page
 */
export const codeTabs = (name: string, label: string, tabs: Readonly<Record<string, Html>>): Html =>
  html`<fieldset class="examples"><legend class="sr">${label}</legend>${Object.entries(tabs).map(
    ([title, block], n) =>
      html`<label><input class="sr" type="radio" name="${name}"${n === 0 ? html` checked` : ''}>${title}</label>${block}`,
  )}</fieldset>`;

/** Creates a test of whether texts contain every word of a query, in any case. */
export const matcher = (query: string): ((...texts: string[]) => boolean) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};

/** A table that scrolls sideways within itself on a small screen. */
export const table = (label: string, head: string[], rows: unknown): Html => html`
  <div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="data-table">
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

export const DOCUMENTS: ShellSearch = { action: '/docs', label: 'Search the documentation' };

/** Puts the frame of a page around its body. */
export const docsPage = (title: string, body: Html, search = DOCUMENTS) => ({
  text: (brand: Brand) => framed({ title, body, search, formTargets: [] }, 'docs', brand),
  headers: pageHeaders({ formTargets: [] }),
});

/** A page of documentation in the frame of a store, and its security headers. */
export type DocsPage = ReturnType<typeof docsPage>;
