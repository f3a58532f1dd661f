import {
  CATEGORIES,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  type Category,
  LIMITS,
} from '@svc/contracts';
import { html } from 'hono/html';
import type { Sort } from '../domain/listings/listing.ts';
import type { Html } from '../http/html.ts';
import { icon } from '../http/icon.ts';
import { breadcrumbs } from '../http/shell.ts';
import { appCard } from './app-card.ts';
import type { PublicPage } from './frame.ts';
import { addressOfCategory } from './paths.ts';
import { CATEGORY_ICONS, CATEGORY_TEXTS, CATEGORY_WORDS, SORT_WORDS, WORDS } from './words.ts';

/** Apps a page: rows of two, three and four come out even. */
export const APPS_A_PAGE = 24;

/** What the page of a catalogue was asked for. */
type Asked = Pick<CatalogQuery, 'q' | 'category' | 'sort'>;

const isSearch = ({ q }: Asked): boolean => (q ?? '').trim() !== '';

/**
 * The address of the catalogue as it was asked for, but for what is changed. A category has a page of its own; a search within it
 * is a search.
 */
function addressOf(asked: Asked, change: Asked & { cursor?: string | undefined }): string {
  const wanted = { ...asked, ...change };
  const place = wanted.category !== undefined && !isSearch(wanted) ? wanted.category : undefined;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    const isInPath = place !== undefined && name === 'category';
    if (value !== undefined && value !== '' && !isInPath) query.set(name, value);
  }
  const path = place === undefined ? '/' : addressOfCategory(place);
  return query.size === 0 ? path : `${path}?${query}`;
}

const chip = (asked: Asked, category: Category | undefined, label: string, picture: string): Html => {
  const isHere = asked.category === category;
  return html`<li><a href="${addressOf(asked, { category })}"${isHere ? html` aria-current="true"` : ''}>${icon(picture)}${label}</a></li>`;
};

/** The ways into the categories. */
const chips = (asked: Asked): Html =>
  html`<ul class="chips" aria-label="${WORDS.categoriesLabel}">
      ${chip(asked, undefined, WORDS.all, 'grid-2x2')}
      ${CATEGORIES.map((category) => chip(asked, category, CATEGORY_WORDS[category], CATEGORY_ICONS[category]))}
    </ul>`;

function searchForm(asked: Asked): Html {
  const sorts = (Object.keys(SORT_WORDS) as Sort[]).filter((sort) => sort !== 'relevance' || isSearch(asked));
  const chosen = asked.sort ?? (isSearch(asked) ? 'relevance' : 'installs');
  const { category } = asked;
  return html`<form class="search" role="search" action="/" method="get"${category === undefined ? '' : html` data-category="${addressOfCategory(category)}"`}>
    <label class="sr" for="q">${WORDS.search}</label>
    <span class="field">${icon('search')}<input id="q" name="q" type="search" value="${asked.q ?? ''}" placeholder="${WORDS.searchHint}" maxlength="200" autocomplete="off" enterkeyhint="search"></span>
    ${category === undefined ? '' : html`<input type="hidden" name="category" value="${category}">`}
    <label class="sort">${WORDS.sortBy} <select name="sort">${sorts.map(
      (sort) =>
        html`<option value="${sort}"${sort === chosen ? html` selected` : ''}>${SORT_WORDS[sort]}</option>`,
    )}</select></label>
    <button>${WORDS.show}</button>
  </form>`;
}

/** What a list without apps says: a search found none, or nothing is published, in the category or at all. */
function nothing(asked: Asked): Html {
  const { picture, title, hint } = isSearch(asked)
    ? { picture: 'search-x', title: WORDS.none, hint: WORDS.noneHint }
    : asked.category === undefined
      ? { picture: 'box', title: WORDS.empty, hint: WORDS.emptyHint }
      : { picture: 'box', title: WORDS.emptyCategory, hint: WORDS.emptyCategoryHint };
  const isFiltered = isSearch(asked) || asked.category !== undefined;
  return html`<div class="nothing empty-state">${icon(picture)}
    <h2>${title}</h2>
    <p>${hint}</p>
    <p class="buttons">${isFiltered ? html`<a class="button" href="/">${WORDS.everything}</a>` : html`<a class="button" href="/account/publishers">${WORDS.publish}</a>`}</p>
  </div>`;
}

/** What administrators feature, before all apps; no row where there is nothing in it. */
const featuredRow = (featured: readonly CatalogEntry[]): Html | string =>
  featured.length === 0
    ? ''
    : html`<section class="featured" aria-labelledby="featured">
        <h2 id="featured">${icon('star')}${WORDS.featured}</h2>
        <ul class="apps">${featured.map((app) => appCard(app, 'h3'))}</ul>
      </section>
      <h2>${WORDS.allApps}</h2>`;

/** What the search replaces while a person types. */
const results = (
  asked: Asked,
  { apps, total, nextCursor }: CatalogPage,
  featured: readonly CatalogEntry[],
): Html =>
  html`<section id="results" aria-labelledby="count">
    ${chips(asked)}
    ${featuredRow(featured)}
    <p id="count" role="status">${WORDS.found(total, total >= LIMITS.catalog.mostCounted)}</p>
    ${apps.length === 0 ? nothing(asked) : html`<ul class="apps">${apps.map((app) => appCard(app, featured.length === 0 ? 'h2' : 'h3'))}</ul>`}
    ${nextCursor === null ? '' : html`<p class="more"><a class="button" rel="next" href="${addressOf(asked, { cursor: nextCursor })}">${WORDS.more}</a></p>`}
  </section>`;

/** What stands above the search: what the store is, what was looked for, or what the category is for. */
function opening(asked: Asked): Html {
  if (isSearch(asked)) {
    const heading = WORDS.resultsFor(asked.q?.trim() ?? '');
    return html`${breadcrumbs([heading])}<h1 class="found">${heading}</h1>`;
  }
  const { category } = asked;
  if (category === undefined)
    return html`<div class="hero"><h1>${WORDS.tagline}</h1><p>${WORDS.promise}</p></div>`;
  return html`${breadcrumbs([CATEGORY_WORDS[category]])}<h1 class="found">${icon(CATEGORY_ICONS[category])}${CATEGORY_WORDS[category]}</h1>
    <p class="about">${CATEGORY_TEXTS[category]}</p>`;
}

function titleFor(asked: Asked): string {
  if (isSearch(asked)) return asked.q?.trim() ?? '';
  return asked.category ? CATEGORY_WORDS[asked.category] : '';
}

/**
 * The catalogue, as people see it: what was asked for, and one page of what answers it.
 * @param featured what administrators feature, where the page shows it
 */
export const cataloguePage = (
  asked: Asked,
  found: CatalogPage,
  featured: readonly CatalogEntry[] = [],
): PublicPage => ({
  title: titleFor(asked),
  search: false,
  description: asked.category === undefined ? WORDS.tagline : CATEGORY_TEXTS[asked.category],
  path: addressOf({}, { category: asked.category }),
  body: html`<main class="page catalogue" id="content">
      ${opening(asked)}
      ${searchForm(asked)}
      ${results(asked, found, featured)}
    </main>`,
});

/** What answers the address of a category that there is not: those that there are. */
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
