import { visible } from '@svc/text';
import { html } from 'hono/html';
import { type EncodedPage, encodePage } from '../http/encoded-page.ts';
import type { Html } from '../http/page.ts';
import { publicFor } from '../http/send.ts';
import { safeHeaders } from '../web/policy.ts';
import { WORDS } from './words.ts';

/** A public page: the same for everybody, so that it is made once for all. */
export type PublicPage = {
  title: string;
  /** What search engines and chats show of it. */
  description: string;
  /** Path of the page itself, and of a picture for it. */
  path: string;
  picture?: string;
  body: Html;
};

/** Where what the pages share is served. */
export type Assets = { style: string; script: string; icon: string };

/** As long as pages of the catalogue. */
const PAGE_SECONDS = 30;

/** Nothing inline and nothing from elsewhere; the search asks the store itself. */
const POLICY = ["connect-src 'self'", "form-action 'self'"];

const header = ({ icon }: Assets): Html => html`<header class="top">
  <a class="brand" href="/"><img src="${icon}" alt=""> ${WORDS.store}</a>
  <nav aria-label="${WORDS.store}"><a href="/account/publishers">${WORDS.publish}</a> <a href="/account">${WORDS.account}</a></nav>
</header>`;

const head = ({ title, description, path, picture }: PublicPage, assets: Assets, baseUrl: string): Html =>
  html`<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <meta name="description" content="${description}">
    <link rel="canonical" href="${baseUrl}${path}">
    <meta property="og:type" content="website">
    <meta property="og:site_name" content="${WORDS.store}">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${description}">
    <meta property="og:url" content="${baseUrl}${path}">
    ${picture === undefined ? '' : html`<meta property="og:image" content="${baseUrl}${picture}">`}
    <meta name="twitter:card" content="summary">
    <link rel="icon" type="image/svg+xml" href="${assets.icon}">
    <link rel="stylesheet" href="${assets.style}">
    <script type="module" src="${assets.script}"></script>
  </head>`;

/** A public page as it is sent, with the headers that keep it to what it is. */
export function framePage(page: PublicPage, assets: Assets, baseUrl: string): EncodedPage {
  const text = html`<!doctype html>
<html lang="${WORDS.lang}">
  ${head(page, assets, baseUrl)}
  <body>
    ${header(assets)}
    ${page.body}
    <footer class="foot"><a href="/docs">Documentation</a> <a href="/api/docs">API</a> <a href="/check">Check a bundle</a> <a href="/docs/codes">Codes</a></footer>
  </body>
</html>`;
  return encodePage(Buffer.from(visible(String(text))), {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': publicFor(PAGE_SECONDS),
    ...safeHeaders(POLICY, 'strict-origin-when-cross-origin'),
  });
}
