import { CATEGORIES, type CatalogPage, type CatalogQuery, LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import type { Sort } from '../domain/listings/listing.ts';
import type { Html } from '../http/html.ts';
import { icon } from '../http/icon.ts';
import { breadcrumbs } from '../http/shell.ts';
import { appCard } from './app-card.ts';
import type { PublicPage } from './frame.ts';
import { CATEGORY_ICONS, CATEGORY_WORDS, SORT_WORDS, WORDS } from './words.ts';

/** Apps a page: rows of two, three and four come out even. */
export const APPS_A_PAGE = 24;

/** What the page of a catalogue was asked for. */
type Asked = Pick<CatalogQuery, 'q' | 'category' | 'sort'>;

const isSearch = ({ q }: Asked): boolean => (q ?? '').trim() !== '';

/** The address of the catalogue as it was asked for, but for what is changed. */
function addressOf(asked: Asked, change: Asked & { cursor?: string | undefined }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...asked, ...change })) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  return query.size === 0 ? '/' : `/?${query}`;
}

const chip = (asked: Asked, category: CatalogQuery['category'], label: string, picture: string): Html => {
  const isHere = asked.category === category;
  return html`<li><a href="${addressOf(asked, { category })}"${isHere ? html` aria-current="true"` : ''}>${icon(picture)}${label}</a></li>`;
};

function searchForm(asked: Asked): Html {
  const sorts = (Object.keys(SORT_WORDS) as Sort[]).filter((sort) => sort !== 'relevance' || isSearch(asked));
  const chosen = asked.sort ?? (isSearch(asked) ? 'relevance' : 'installs');
  return html`<form class="search" role="search" action="/" method="get">
    <label class="sr" for="q">${WORDS.search}</label>
    <span class="field">${icon('search')}<input id="q" name="q" type="search" value="${asked.q ?? ''}" placeholder="${WORDS.searchHint}" maxlength="200" autocomplete="off" enterkeyhint="search"></span>
    ${asked.category === undefined ? '' : html`<input type="hidden" name="category" value="${asked.category}">`}
    <label class="sort">${WORDS.sortBy} <select name="sort">${sorts.map(
      (sort) =>
        html`<option value="${sort}"${sort === chosen ? html` selected` : ''}>${SORT_WORDS[sort]}</option>`,
    )}</select></label>
    <button>${WORDS.show}</button>
  </form>`;
}

function nothing(asked: Asked): Html {
  const isFiltered = isSearch(asked) || asked.category !== undefined;
  return html`<div class="nothing empty-state">${icon(isFiltered ? 'search-x' : 'box')}
    <h2>${isFiltered ? WORDS.none : WORDS.empty}</h2>
    <p>${isFiltered ? WORDS.noneHint : WORDS.emptyHint}</p>
    <p class="buttons">${isFiltered ? html`<a class="button" href="/">${WORDS.everything}</a>` : html`<a class="button" href="/account/publishers">${WORDS.publish}</a>`}</p>
  </div>`;
}

/** What the search replaces while a person types. */
const results = (asked: Asked, { apps, total, nextCursor }: CatalogPage): Html =>
  html`<section id="results" aria-labelledby="count">
    <ul class="chips" aria-label="${WORDS.categoriesLabel}">
      ${chip(asked, undefined, WORDS.all, 'grid-2x2')}
      ${CATEGORIES.map((category) => chip(asked, category, CATEGORY_WORDS[category], CATEGORY_ICONS[category]))}
    </ul>
    <p id="count" role="status">${WORDS.found(total, total >= LIMITS.catalog.mostCounted)}</p>
    ${apps.length === 0 ? nothing(asked) : html`<ul class="apps">${apps.map((app) => appCard(app))}</ul>`}
    ${nextCursor === null ? '' : html`<p class="more"><a class="button" rel="next" href="${addressOf(asked, { cursor: nextCursor })}">${WORDS.more}</a></p>`}
  </section>`;

/** The catalogue, as people see it: what was asked for, and one page of what answers it. */
export function cataloguePage(asked: Asked, found: CatalogPage): PublicPage {
  const about = isSearch(asked)
    ? (asked.q?.trim() ?? '')
    : asked.category
      ? CATEGORY_WORDS[asked.category]
      : '';
  const isFront = about === '';
  const heading = isSearch(asked) ? WORDS.resultsFor(about) : about;
  return {
    title: about,
    search: false,
    description: WORDS.tagline,
    path: addressOf({}, { category: asked.category }),
    body: html`<main class="page catalogue" id="content">
      ${isFront ? html`<div class="hero"><h1>${WORDS.tagline}</h1><p>${WORDS.promise}</p></div>` : html`${breadcrumbs([heading])}<h1 class="found">${asked.category !== undefined && !isSearch(asked) ? icon(CATEGORY_ICONS[asked.category]) : ''}${heading}</h1>`}
      ${searchForm(asked)}
      ${results(asked, found)}
    </main>`,
  };
}
