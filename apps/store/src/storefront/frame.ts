import { visible } from '@svc/text';
import { html } from 'hono/html';
import { type EncodedPage, encodePage } from '../http/encoded-page.ts';
import type { Html } from '../http/html.ts';
import { safeHeaders } from '../http/safe-headers.ts';
import { publicFor } from '../http/send.ts';
import { assetTags, shellFooter, shellHeader, titleOf } from '../http/shell.ts';
import type { Brand } from '../platform/brand.ts';
import { WORDS } from './words.ts';

/** A public page: the same for everybody, so that it is made once for all. */
export type PublicPage = {
  title: string;
  /** What search engines and chats show of it. */
  description: string;
  /** Path of the page itself. */
  path: string;
  /** Whether the header has the search; left out it has. */
  search?: boolean;
  body: Html;
};

/** What a page knows of its store. `assets` holds the address of the script of the catalogue's pages. */
export type Surroundings = {
  assets: { script: string };
  baseUrl: string;
  brand: Brand;
  /** Path of the picture that chats show of a link to the page. */
  preview: string;
};

/** As long as pages of the catalogue. */
const PAGE_SECONDS = 30;

/** Nothing inline and nothing from elsewhere; the search asks the store itself. */
const POLICY = ["connect-src 'self'", "form-action 'self'"];

const head = (
  { title, description, path }: PublicPage,
  { assets, baseUrl, brand, preview }: Surroundings,
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
    <meta property="og:image:alt" content="${WORDS.previewAlt(titleOf(title, brand))}">
    <meta name="twitter:card" content="summary_large_image">
    ${assetTags(brand)}
    <script type="module" src="${assets.script}"></script>
  </head>`;

/** A public page as it is sent, with the headers that keep it to what it is. */
export function framePage(page: PublicPage, around: Surroundings): EncodedPage {
  const text = html`<!doctype html>
<html lang="${WORDS.lang}">
  ${head(page, around)}
  <body>
    ${shellHeader({ here: 'browse', search: page.search ?? true }, around.brand)}
    ${page.body}
    ${shellFooter()}
  </body>
</html>`;
  return encodePage(Buffer.from(visible(String(text))), {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': publicFor(PAGE_SECONDS),
    ...safeHeaders(POLICY, 'strict-origin-when-cross-origin'),
  });
}
