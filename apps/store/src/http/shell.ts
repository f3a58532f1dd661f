import { html } from 'hono/html';
import type { Brand } from '../platform/brand.ts';
import { type Html, icon } from './html.ts';
import { addressOfOwn } from './own-files.ts';

/** A search form in the header: where it leads, and what it searches. */
export type ShellSearch = { action: string; label: string; query?: string };

const APPS: ShellSearch = { action: '/', label: 'Search apps' };

/** Options of the header of a page. */
export type ShellOptions = {
  /** The entry of the navigation that the page belongs to. */
  here?: 'browse' | 'publish' | 'docs';
  /** What the header searches, true for apps: nothing when the page has its own form, or must not send forms. */
  search?: boolean | ShellSearch;
  /** Whether the page must not send requests to the store, not even for the signed-in user. */
  alone?: boolean;
};

/** The title of a page: the page first, as tabs cut off the end. */
export const titleOf = (page: string, { name }: Brand): string =>
  page === '' || page === name ? name : `${page} · ${name}`;

/** The style sheet and the icon, which every page loads. */
export const styleTags = ({ logo, logoType, accent }: Brand): Html =>
  html`<link rel="icon" type="${logoType}" href="${logo}">
    <link rel="stylesheet" href="${addressOfOwn('site.css')}">${accent ? html`<link rel="stylesheet" href="${accent}">` : ''}`;

/** The style sheet and the scripts: the theme, before anything is shown, and that of the header. */
export const assetTags = (brand: Brand): Html =>
  html`<script src="${addressOfOwn('theme.js')}" data-font="${addressOfOwn('inter-latin.woff2')}"></script>
    ${styleTags(brand)}
    <script type="module" src="${addressOfOwn('shell.js')}"></script>`;

const searchForm = ({ action, label, query = '' }: ShellSearch): Html =>
  html`<form class="shell-search" role="search" action="${action}" method="get">
      ${icon('search')}<input name="q" type="search" value="${query}" aria-label="${label}" placeholder="${label}" maxlength="200" autocomplete="off" enterkeyhint="search">
    </form>`;

const THEMES = ['system', 'light', 'dark'] as const;
const nameOf = (theme: string): string => theme[0]?.toUpperCase() + theme.slice(1);

/** A menu that works without a script (popover attribute); the script adds the signed-in user. */
const accountMenu = (alone: boolean): Html =>
  html`<button class="avatar" type="button" popovertarget="account-menu" aria-label="Account and theme">${icon('user-round')}</button>
    <div class="menu account-menu" id="account-menu" popover${alone ? html` data-alone` : ''}>
      <div class="areas"><a href="/account">Your account</a><a href="/sign-in">Sign in</a></div>
      <hr>
      <fieldset hidden><legend>Theme</legend>${THEMES.map((theme) => html`<button type="button" data-choose="${theme}">${nameOf(theme)}</button>`)}</fieldset>
    </div>`;

/** The areas of a store, each with the route that a store with the area has. */
const AREAS = [
  ['browse', 'cataloguePage', '/', 'Browse'],
  ['publish', 'accountSubpage', '/account/publishers', 'Publish'],
  ['docs', 'docsIndex', '/docs', 'Docs'],
] as const;

/** The links of the footer, each with the route that it leads to. */
const FOOT = [
  ['docsIndex', '/docs', 'Documentation'],
  ['policyPage', '/policy', 'Policy'],
  ['docs', '/api/docs', 'API'],
  ['checkPage', '/check', 'Check a bundle'],
  ['codes', '/docs/codes', 'Codes'],
] as const;

/** The front page of a store: the catalogue, or the page of the signed-in user in a store without one. */
const frontPage = ({ routeNames }: Pick<Brand, 'routeNames'>): string =>
  routeNames.has('cataloguePage') ? '/' : '/account';

/** The header that all pages share. */
export function shellHeader(
  { here, search = false, alone = false }: ShellOptions,
  { name, logo, notice, routeNames }: Brand,
): Html {
  const areas = AREAS.filter(([, route]) => routeNames.has(route));
  const target = typeof search === 'object' ? search : search && routeNames.has('cataloguePage') && APPS;
  return html`<a class="skip" href="#content">Skip to content</a>
  <header class="shell"><div>
    <a class="brand" href="${frontPage({ routeNames })}" aria-label="${name}"><img src="${logo}" alt="" width="28" height="28"><bdi>${name}</bdi></a>
    ${target ? searchForm(target) : ''}
    <nav aria-label="Store">${areas.map(([area, , path, label]) => html`<a href="${path}"${area === here ? html` aria-current="true"` : ''}>${label}</a>`)}</nav>
    ${accountMenu(alone)}
  </div></header>${
    notice === undefined
      ? ''
      : html`
  <p class="shell-notice" role="status">${notice}</p>`
  }`;
}

/** The footer that all pages share. */
export const shellFooter = ({ routeNames }: Brand): Html =>
  html`<footer class="foot"><div><p>Every version is checked and signed.</p>${FOOT.filter(([route]) => routeNames.has(route)).map(([, path, label]) => html` <a href="${path}">${label}</a>`)}</div></footer>`;

/** A place in the breadcrumbs; without a path, the page itself. */
export type Crumb = readonly [label: string, path?: string];

const FRONT: Crumb = ['Apps', '/'];

/** The breadcrumbs of a page. @param hasFront whether they begin with the front page: not in a store without one */
export const breadcrumbs = (places: readonly Crumb[], hasFront = true): Html =>
  html`<nav aria-label="Breadcrumb"><ol class="crumbs">${[...(hasFront ? [FRONT] : []), ...places].map(([label, path]) => html`<li>${path === undefined ? html`<span aria-current="page"><bdi>${label}</bdi></span>` : html`<a href="${path}">${label}</a>`}</li>`)}</ol></nav>`;

/** Links beside a text, or after it on a phone. @param here the address among them that the page has */
export const besides = (
  links: readonly (readonly [href: string, label: string])[],
  label = 'Parts',
  here?: string,
): Html =>
  html`<nav class="areas" aria-label="${label}"><ul>${links.map(([href, title]) => html`<li><a href="${href}"${href === here ? html` aria-current="page"` : ''}>${title}</a></li>`)}</ul></nav>`;
