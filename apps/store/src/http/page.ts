import { visible } from '@svc/text';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Brand } from '../platform/brand.ts';
import type { Html } from './html.ts';
import { safeHeaders } from './safe-headers.ts';
import { assetTags, shellFooter, shellHeader, styleTags, titleOf } from './shell.ts';

/** A page for people. */
export type Page = {
  title: string;
  body: Html;
  /** Address of the one script it needs beside that of the header, on the store itself. */
  script?: string;
  /** Origins, beside the store, to which a form of it leads in the end. Browsers hold redirects against the policy too. */
  formTargets?: readonly string[];
  /** Whether it runs no script, not even that of the header. */
  isScriptless?: boolean;
};

/** Which column and spacing a page has: that of a form, or that of something to read. */
export type Layout = 'form' | 'docs';

/** The frame of a page. Whatever it holds of others, nothing in it hides or turns the reading direction. */
export const framed = (
  { title, body, script, formTargets, isScriptless = false }: Page,
  layout: Layout,
  brand: Brand,
): string =>
  visible(
    String(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${titleOf(title, brand)}</title>
    ${isScriptless ? styleTags(brand) : assetTags(brand)}
    ${script === undefined || isScriptless ? '' : html`<script type="module" src="${script}"></script>`}
  </head>
  <body>
    ${shellHeader({ ...(layout === 'docs' && { here: 'docs' }), search: layout === 'form' && formTargets !== undefined }, brand)}
    <div class="page ${layout}" id="content">${body}</div>
    ${shellFooter()}
  </body>
</html>`),
  );

/** The headers that keep a page to what it is: nothing inline, and nothing from elsewhere. */
export function pageHeaders({
  formTargets,
  isScriptless = false,
}: Pick<Page, 'formTargets' | 'isScriptless'>): Record<string, string> {
  const formAction = `form-action ${formTargets === undefined ? "'none'" : ["'self'", ...formTargets].join(' ')}`;
  // With no-referrer a browser would send forms with "Origin: null" (Fetch standard), and forms are held to theirs.
  const referrer = formTargets === undefined ? 'no-referrer' : 'same-origin';
  return isScriptless
    ? safeHeaders([formAction], referrer, 'no-scripts')
    : safeHeaders(["connect-src 'self'", formAction], referrer);
}

/**
 * Answers with a page. It is for one person at one time, so nothing keeps it. It runs no script where the address of its route
 * holds a secret (`secretAddress`).
 * @param status 200 when left out
 */
export function sendPage(c: Context, asked: Page, status: ContentfulStatusCode = 200): Response {
  const page: Page = { ...asked, isScriptless: c.get('hasSecretAddress') === true };
  const headers = { 'Cache-Control': 'no-store', ...pageHeaders(page) };
  return c.html(framed(page, 'form', c.get('brand')), status, headers);
}
