import { visible } from '@svc/text';
import { html, raw } from 'hono/html';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { type EncodedPage, encodePage } from '../../http/encoded-page.ts';
import type { Html } from '../../http/html.ts';
import { safeHeaders } from '../../http/page.ts';
import { publicFor } from '../../http/send.ts';
import { assetTags, shellFooter, shellHeader, titleOf } from '../../http/shell.ts';
import type { Brand } from '../../platform/brand.ts';

/** A public page. It is the same for all visitors, so it is rendered once. */
export type PublicPage = {
  title: string;
  /** The description for search engines and link previews. */
  description: string;
  /** The canonical path of the page. */
  path: string;
  /** What the page describes, for search engines (schema.org, as JSON-LD). */
  data?: object;
  /** The page in other forms: feeds, and its description for pages that link to it. */
  alternates?: readonly { type: string; title: string; href: string }[];
  /** Whether the header has the search; true by default. */
  search?: boolean;
  body: Html;
};

/** What the frame of a page needs. `assets` has the address of the script. */
export type PageContext = Pick<Parts, 'baseUrl'> & {
  assets: { script: string };
  brand: Brand;
  /** The path of the link preview picture. */
  preview: string;
};

/** How long a page may be cached, in seconds, as the catalogue API. */
const PAGE_SECONDS = 30;

/** Nothing inline and nothing from other hosts; the search sends requests to the store. */
const POLICY = ["connect-src 'self'", "form-action 'self'"];

/** JSON in a data block, which no browser runs: nothing in it ends the element (HTML, "Restrictions for contents of script elements"). */
const inScript = (data: object): string => JSON.stringify(data).replaceAll('<', '\\u003c');

const head = (
  { title, description, path, data, alternates = [] }: PublicPage,
  { assets, baseUrl, brand, preview }: PageContext,
): Html =>
  html`<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${titleOf(title, brand)}</title>
    <meta name="description" content="${description}">
    <link rel="canonical" href="${baseUrl}${path}">
    <meta property="og:type" content="website">
    <meta property="og:site_name" content="${brand.name}">
    <meta property="og:title" content="${titleOf(title, brand)}">
    <meta property="og:description" content="${description}">
    <meta property="og:url" content="${baseUrl}${path}">
    <meta property="og:image" content="${baseUrl}${preview}">
    <meta property="og:image:type" content="image/png">
    <meta property="og:image:width" content="1200">
    <meta property="og:image:height" content="630">
    <meta property="og:image:alt" content="Preview of ${titleOf(title, brand)}">
    <meta name="twitter:card" content="summary_large_image">
    ${assetTags(brand)}
    <script type="module" src="${assets.script}"></script>
    ${alternates.map(({ type, href, title: name }) => html`<link rel="alternate" type="${type}" title="${name}" href="${baseUrl}${href}">`)}
    ${data === undefined ? '' : html`<script type="application/ld+json">${raw(inScript(data))}</script>`}
  </head>`;

/** Renders a public page, with its security headers. */
export function framePage(page: PublicPage, context: PageContext): EncodedPage {
  const text = html`<!doctype html>
<html lang="en">
  ${head(page, context)}
  <body>
    ${shellHeader({ here: 'browse', search: page.search ?? true }, context.brand)}
    ${page.body}
    ${shellFooter(context.brand)}
  </body>
</html>`;
  return encodePage(Buffer.from(visible(String(text))), {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': publicFor(PAGE_SECONDS),
    ...safeHeaders(POLICY, 'strict-origin-when-cross-origin'),
  });
}
