import {
  CATEGORIES,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  type Category,
  LIMITS,
} from '@svc/contracts';
import { html } from 'hono/html';
import type { Sort } from '../../domain/listings/listing.ts';
import type { Html } from '../../http/html.ts';
import { icon } from '../../http/icon.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { appCard } from './app-card.ts';
import type { PublicPage } from './frame.ts';
import { addressOfCategory } from './paths.ts';
import { matcherOf, searchRow } from './search-row.ts';
import { CATEGORY_ICONS, CATEGORY_TEXTS, CATEGORY_WORDS, SORT_WORDS, WORDS } from './words.ts';

/** Apps per page: fills rows of two, three and four. */
export const APPS_A_PAGE = 24;

/** The query of a catalogue page. */
type CatalogueQuery = Pick<CatalogQuery, 'q' | 'category' | 'sort'>;

const isSearch = ({ q }: CatalogueQuery): boolean => (q ?? '').trim() !== '';

/**
 * The address of the catalogue with a query and some changes. A category without a search has its own page.
 */
function addressOf(query: CatalogueQuery, change: CatalogueQuery & { cursor?: string | undefined }): string {
  const target = { ...query, ...change };
  const categoryPage = target.category !== undefined && !isSearch(target) ? target.category : undefined;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(target)) {
    const isInPath = categoryPage !== undefined && name === 'category';
    if (value !== undefined && value !== '' && !isInPath) params.set(name, value);
  }
  const path = categoryPage === undefined ? '/' : addressOfCategory(categoryPage);
  return params.size === 0 ? path : `${path}?${params}`;
}

const chip = (
  query: CatalogueQuery,
  category: Category | undefined,
  label: string,
  picture: string,
): Html => {
  const isHere = query.category === category;
  return html`<li><a href="${addressOf(query, { category })}"${isHere ? html` aria-current="true"` : ''}>${icon(picture)}${label}</a></li>`;
};

/** Links to the categories. */
const chips = (query: CatalogueQuery): Html =>
  html`<ul class="chips" aria-label="${WORDS.categoriesLabel}">
      ${chip(query, undefined, WORDS.all, 'grid-2x2')}
      ${CATEGORIES.map((category) => chip(query, category, CATEGORY_WORDS[category], CATEGORY_ICONS[category]))}
    </ul>`;

function searchForm(query: CatalogueQuery): Html {
  const sorts = (Object.keys(SORT_WORDS) as Sort[]).filter((sort) => sort !== 'relevance' || isSearch(query));
  const chosen = query.sort ?? (isSearch(query) ? 'relevance' : 'installs');
  const { category } = query;
  return html`<form class="search" role="search" action="/" method="get"${category === undefined ? '' : html` data-category="${addressOfCategory(category)}"`}>
    <label class="sr" for="q">${WORDS.search}</label>
    <span class="field">${icon('search')}<input id="q" name="q" type="search" value="${query.q ?? ''}" placeholder="${WORDS.searchHint}" maxlength="200" autocomplete="off" enterkeyhint="search"></span>
    ${category === undefined ? '' : html`<input type="hidden" name="category" value="${category}">`}
    <label class="sort">${WORDS.sortBy} <select name="sort">${sorts.map(
      (sort) =>
        html`<option value="${sort}"${sort === chosen ? html` selected` : ''}>${SORT_WORDS[sort]}</option>`,
    )}</select></label>
    <button>${WORDS.show}</button>
  </form>`;
}

/** What a search without results offers: the closest apps, and the categories. */
const closestApps = (closest: readonly CatalogEntry[]): Html =>
  html`<section class="closest" aria-labelledby="closest">
    <h2 id="closest">${WORDS.closest}</h2>
    <ul class="apps">${closest.map((app) => appCard(app, 'h3'))}</ul>
  </section>`;

/** The empty state: no search results, or no apps in the category or in the store. */
function emptyState(query: CatalogueQuery): Html {
  const { picture, title, hint } = isSearch(query)
    ? { picture: 'search-x', title: WORDS.none, hint: WORDS.noneHint }
    : query.category === undefined
      ? { picture: 'box', title: WORDS.empty, hint: WORDS.emptyHint }
      : { picture: 'box', title: WORDS.emptyCategory, hint: WORDS.emptyCategoryHint };
  const isFiltered = isSearch(query) || query.category !== undefined;
  return html`<div class="nothing empty-state">${icon(picture)}
    <h2>${title}</h2>
    <p>${hint}</p>
    <p class="buttons">${isFiltered ? html`<a class="button" href="/">${WORDS.everything}</a>` : html`<a class="button" href="/account/publishers">${WORDS.publish}</a>`}</p>
  </div>`;
}

/** The featured apps before all apps; nothing when there are none. */
const featuredRow = (featured: readonly CatalogEntry[]): Html | string =>
  featured.length === 0
    ? ''
    : html`<section class="featured" aria-labelledby="featured">
        <h2 id="featured">${icon('star')}${WORDS.featured}</h2>
        <ul class="apps">${featured.map((app) => appCard(app, 'h3'))}</ul>
      </section>
      <h2>${WORDS.allApps}</h2>`;

function rows({ q = '' }: CatalogueQuery, apps: readonly CatalogEntry[]): Html {
  const matches = matcherOf(q);
  return html`<ul class="found-apps">${apps.map((app) => searchRow(app, matches))}</ul>`;
}

/** The part of the page that live search replaces. */
const results = (
  query: CatalogueQuery,
  { apps, total, nextCursor }: CatalogPage,
  featured: readonly CatalogEntry[],
  closest: readonly CatalogEntry[],
): Html =>
  html`<section id="results" aria-labelledby="count">
    ${chips(query)}
    ${featuredRow(featured)}
    <p id="count" role="status">${WORDS.appCount(total, total >= LIMITS.catalog.maxCounted)}</p>
    ${apps.length === 0 ? emptyState(query) : isSearch(query) ? rows(query, apps) : html`<ul class="apps">${apps.map((app) => appCard(app, featured.length === 0 ? 'h2' : 'h3'))}</ul>`}
    ${closest.length === 0 ? '' : closestApps(closest)}
    ${nextCursor === null ? '' : html`<p class="more"><a class="button" rel="next" href="${addressOf(query, { cursor: nextCursor })}">${WORDS.more}</a></p>`}
  </section>`;

/** The heading above the search: of the store, of a search, or of a category. */
function opening(query: CatalogueQuery): Html {
  if (isSearch(query)) {
    const heading = WORDS.resultsFor(query.q?.trim() ?? '');
    return html`${breadcrumbs([heading])}<h1 class="found">${heading}</h1>`;
  }
  const { category } = query;
  if (category === undefined)
    return html`<div class="hero"><h1>${WORDS.tagline}</h1><p>${WORDS.promise}</p></div>`;
  return html`${breadcrumbs([CATEGORY_WORDS[category]])}<h1 class="found">${icon(CATEGORY_ICONS[category])}${CATEGORY_WORDS[category]}</h1>
    <p class="about">${CATEGORY_TEXTS[category]}</p>`;
}

function titleFor(query: CatalogueQuery): string {
  if (isSearch(query)) return query.q?.trim() ?? '';
  return query.category ? CATEGORY_WORDS[query.category] : '';
}

/**
 * A page of the catalogue.
 * @param featured the featured apps, where the page shows them
 * @param closest what a search without results shows instead
 */
export const cataloguePage = (
  query: CatalogueQuery,
  apps: CatalogPage,
  featured: readonly CatalogEntry[] = [],
  closest: readonly CatalogEntry[] = [],
): PublicPage => ({
  title: titleFor(query),
  search: false,
  description: query.category === undefined ? WORDS.tagline : CATEGORY_TEXTS[query.category],
  path: addressOf({}, { category: query.category }),
  body: html`<main class="page catalogue" id="content">
      ${opening(query)}
      ${searchForm(query)}
      ${results(query, apps, featured, closest)}
    </main>`,
});

/** The page for an unknown category, with all categories. */
export const noCategoryPage = (): PublicPage => ({
  title: WORDS.noCategory,
  description: WORDS.noCategoryHint,
  path: '/',
  body: html`<main class="page catalogue" id="content">
      ${breadcrumbs([WORDS.noCategory])}
      <h1>${WORDS.noCategory}</h1>
      <p class="about">${WORDS.noCategoryHint}</p>
      <ul class="chips all" aria-label="${WORDS.categoriesLabel}">${CATEGORIES.map((category) => chip({}, category, CATEGORY_WORDS[category], CATEGORY_ICONS[category]))}</ul>
      <p><a class="button" href="/">${WORDS.everything}</a></p>
    </main>`,
});
