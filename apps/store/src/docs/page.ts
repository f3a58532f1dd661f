import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { STYLE } from './style.ts';

type Html = ReturnType<typeof html>;

/** Text that our own contract wrote, with `code` marked. It is escaped first: nothing in it is trusted to be HTML. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** A table that scrolls sideways within itself on a small screen. */
export const table = (label: string, head: string[], rows: unknown): Html => html`
  <div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

const styleHash = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** A page to read, without scripts, and the headers that keep it so. */
export type DocsPage = { text: string; headers: Record<string, string> };

/** Puts the frame of a page around its body. */
export function docsPage(title: string, body: unknown): DocsPage {
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <style>${raw(STYLE)}</style>
  </head>
  <body>${body}</body>
</html>`;
  return {
    text: String(page),
    headers: {
      'Content-Security-Policy': `default-src 'none'; style-src ${styleHash}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  };
}
