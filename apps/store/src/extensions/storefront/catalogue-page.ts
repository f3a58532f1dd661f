import {
  CATEGORIES,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  type Category,
  LIMITS,
} from '@svc/contracts';
import { html } from 'hono/html';
import type { Offer } from '../../core/access/extension.ts';
import type { Sort } from '../../core/domain/listings/listing.ts';
import { addressOfApp, addressOfCategory, rasterOf, rastersOf } from '../../core/web/paths.ts';
import { type Html, icon } from '../../http/html.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { appCard, verdict } from './app-card.ts';
import { accentOf, appIcon, installsOf, listHead, monogram, ratingOf } from './figures.ts';
import type { PublicPage } from './frame.ts';
import { matcherOf, searchRow } from './search-row.ts';
import {
  appsText,
  CATEGORY_ICONS,
  CATEGORY_TEXTS,
  CATEGORY_WORDS,
  FACETS,
  type Facet,
  type FacetCounts,
  facetsIn,
  isOffered,
  SORT_WORDS,
} from './words.ts';

const NO_CATEGORY_HINT = 'Choose one of these, or browse all apps.';

/** Apps per page: fills rows of two, three and four. */
export const APPS_A_PAGE = 24;

type CatalogueQuery = Pick<CatalogQuery, 'q' | 'category' | 'sort'> & { only?: string | undefined };

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
  html`<ul class="pills strip" aria-label="Categories">
      ${chip(query, undefined, 'All', 'grid-2x2')}
      ${CATEGORIES.map((category) => chip(query, category, CATEGORY_WORDS[category], CATEGORY_ICONS[category]))}
    </ul>`;

function searchForm(query: CatalogueQuery): Html {
  const { category } = query;
  return html`<form class="search buttons" id="search" role="search" action="/" method="get"${category === undefined ? '' : html` data-category="${addressOfCategory(category)}"`}>
    <label class="sr" for="q">Search apps</label>
    <span class="field">${icon('search')}<input id="q" name="q" type="search" value="${query.q ?? ''}" placeholder="Name, publisher, or what it does" maxlength="200" autocomplete="off" enterkeyhint="search"></span>
    ${category === undefined ? '' : html`<input type="hidden" name="category" value="${category}">`}
    <noscript><button>Show</button></noscript>
  </form>`;
}

/** The order of the list, beside its heading. The form of the search sends it. */
function sortField(query: CatalogueQuery, offers: readonly Offer[]): Html {
  const sorts = (Object.keys(SORT_WORDS) as Sort[]).filter(
    (sort) => (sort !== 'relevance' || isSearch(query)) && isOffered(sort, offers),
  );
  const chosen = query.sort ?? (isSearch(query) ? 'relevance' : 'installs');
  return html`<label class="soft cluster">Sort by <select name="sort" form="search">${sorts.map(
    (sort) =>
      html`<option value="${sort}"${sort === chosen ? html` selected` : ''}>${SORT_WORDS[sort]}</option>`,
  )}</select></label>`;
}

/** What a search without results offers. It does not claim to be what was searched for. */
const popularApps = (popular: readonly CatalogEntry[]): Html =>
  html`<section aria-labelledby="popular">
    ${listHead('popular', 'Popular apps', '/')}
    <ul class="apps">${popular.map((app) => appCard(app, 'h3'))}</ul>
  </section>`;

/** The empty state: no search results, or no apps in the category or in the store. */
function emptyState(query: CatalogueQuery): Html {
  const { picture, title, hint } = query.only
    ? { picture: 'search-x', title: 'No apps match', hint: 'Leave out one of the conditions above.' }
    : isSearch(query)
      ? {
          picture: 'search-x',
          title: `Nothing for “${query.q?.trim() ?? ''}”`,
          hint: 'No app has any of these words, nor words like them.',
        }
      : query.category === undefined
        ? {
            picture: 'box',
            title: 'No apps yet',
            hint: 'Publish the first one: create a publisher, check your bundle, upload it.',
          }
        : {
            picture: 'box',
            title: 'No apps in this category yet',
            hint: 'Browse all apps, or publish the first one in this category.',
          };

  const isFiltered = isSearch(query) || query.category !== undefined;
  return html`<div class="nothing empty-state">${icon(picture)}
    <h2>${title}</h2>
    <p>${hint}</p>
    <p class="buttons">${isFiltered ? html`<a class="button" href="/">Show all apps</a>` : html`<a class="button" href="/account/publishers">Publish an app</a>`}</p>
  </div>`;
}

/** Apps of one kind, of which the whole list is a click away. */
export type Shelf = { title: string; sort: Sort; apps: readonly CatalogEntry[] };

/** A featured app, with its first picture. */
function heroCard(app: CatalogEntry): Html {
  const [picture = ''] = app.screenshots;
  return html`<li class="app hero-app"><article class="app-card covered">
    <img class="hero-picture" src="${rasterOf(picture, '1280')}" srcset="${rastersOf(picture)}" sizes="(max-width: 48rem) 92vw, 38rem" alt="" loading="eager" fetchpriority="high" decoding="async">
    ${appIcon(app, 64, 'eager')}
    <div>
      <h3><a href="${addressOfApp(app.appId)}">${app.name}</a></h3>
      <p class="by"><bdi>${app.publisher.name}</bdi></p>
      <p class="tagline">${app.tagline}</p>
      <p class="figures">${ratingOf(app.rating)} ${installsOf(app.installs)}</p>
      <p>${verdict(app)}</p>
    </div>
  </article></li>`;
}

/** The featured apps before all apps: the first that has a picture large, the others beside it; nothing when there are none. */
function featuredRow(featured: readonly CatalogEntry[]): Html | string {
  if (featured.length === 0) return '';
  const hero = featured.find(({ screenshots }) => screenshots.length > 0);
  const others = featured.filter((app) => app !== hero);
  return html`<section class="featured" aria-labelledby="featured">
    ${listHead('featured', 'Featured')}
    <ul class="apps">${hero ? heroCard(hero) : ''}${others.map((app) => appCard(app, 'h3'))}</ul>
  </section>`;
}

const shelfRow = ({ title, sort, apps }: Shelf): Html =>
  html`<section class="shelf" aria-labelledby="shelf-${sort}">
    ${listHead(`shelf-${sort}`, title, addressOf({}, { sort }))}
    <ul class="apps">${apps.map((app) => appCard(app, 'h3'))}</ul>
  </section>`;

function rows({ q = '' }: CatalogueQuery, apps: readonly CatalogEntry[]): Html {
  const matches = matcherOf(q);
  return html`<ul class="found-apps">${apps.map((app) => searchRow(app, matches))}</ul>`;
}

/** What a page shows besides the apps that match. */
type Extras = {
  featured: readonly CatalogEntry[];
  /** What a search without results shows instead. */
  popular: readonly CatalogEntry[];
  shelves: readonly Shelf[];
  /** The orders and facets that extensions offer. */
  offers: readonly Offer[];
  /** Apps that each facet leaves, together with the chosen ones; null where they were not counted. */
  counts: FacetCounts | null;
  /** Whether the store serves the command line, with a client. */
  hasCli: boolean;
};

/** The apps without those that the page features. */
const without = (apps: readonly CatalogEntry[], shown: readonly CatalogEntry[]): CatalogEntry[] => {
  const ids = new Set(shown.map(({ appId }) => appId));
  return apps.filter(({ appId }) => !ids.has(appId));
};

function list(query: CatalogueQuery, { apps }: CatalogPage, { featured, shelves }: Extras): Html {
  if (apps.length === 0) return emptyState(query);
  if (isSearch(query)) return rows(query, apps);
  const shown = query.sort === undefined ? featured : [];
  const level = featured.length + shelves.length === 0 ? 'h2' : 'h3';
  return html`<ul class="apps">${without(apps, shown).map((app) => appCard(app, level))}</ul>`;
}

/** What the apps of a category or a search are narrowed to. Each link adds or removes one; one that leaves no app is left out. */
function facets(query: CatalogueQuery, { offers, counts }: Pick<Extras, 'offers' | 'counts'>): Html | string {
  if (query.category === undefined && !isSearch(query)) return '';
  const chosen = facetsIn(query.only);
  const offered = (Object.keys(FACETS) as Facet[]).filter(
    (facet) => isOffered(facet, offers) && (chosen.includes(facet) || counts?.[facet] !== 0),
  );
  if (offered.length === 0) return '';
  const links = offered.map((facet) => {
    const isChosen = chosen.includes(facet);
    const count =
      isChosen || !counts
        ? ''
        : html` <span aria-hidden="true">${counts[facet]}</span><span class="sr">, ${appsText(counts[facet], false)}</span>`;
    const others = chosen.filter((one) => one !== facet);
    const only = (isChosen ? others : [...chosen, facet]).join(',');
    return html`<li><a rel="nofollow" href="${addressOf(query, { only })}"${isChosen ? html` aria-current="true"` : ''}>${isChosen ? icon('check') : ''}${FACETS[facet].label}${count}</a></li>`;
  });
  return html`<ul class="pills strip" aria-label="Only apps with">${links}</ul>`;
}

/** The part of the page that live search replaces. */
function results(query: CatalogueQuery, page: CatalogPage, all: Extras): Html {
  const { total, nextCursor } = page;
  const extras = { ...all, featured: all.featured.slice(0, LIMITS.catalog.featuredShown) };
  const { featured, popular, shelves } = extras;
  return html`<section id="results" aria-labelledby="count">
    ${chips(query)}
    ${featuredRow(featured)}
    ${shelves.map(shelfRow)}
    <div class="cluster apart list-head">${featured.length + shelves.length === 0 ? '' : html`<h2>All apps</h2>`}
      <p id="count" class="soft">${query.only ? `${appsText(page.apps.length, nextCursor !== null)} of ${total.toLocaleString('en')}` : appsText(total, total >= LIMITS.catalog.maxCounted)}</p>
      ${total === 0 ? '' : facets(query, extras)} ${page.apps.length === 0 ? '' : sortField(query, extras.offers)}</div>
    ${list(query, page, extras)}
    ${popular.length === 0 ? '' : popularApps(popular)}
    ${nextCursor === null ? '' : html`<p class="more"><a class="button" rel="next" href="${addressOf(query, { cursor: nextCursor })}">More apps</a></p>`}
  </section>`;
}

/** The heading and the search: of the store, of a search, or of a category. */
function opening(query: CatalogueQuery, hasCli: boolean): Html {
  if (isSearch(query)) {
    const heading = `Results for “${query.q?.trim() ?? ''}”`;
    return html`${breadcrumbs([[heading]])}<h1>${heading}</h1>${searchForm(query)}`;
  }
  const { category } = query;
  if (category === undefined)
    return html`<div class="hero"><div><h1>Apps for your chat client</h1><p>Checked before they are listed, signed when they are published, and never run on your computer.${hasCli ? html` <a href="/cli">Get a client</a>` : ''}</p>${searchForm(query)}</div>${icon('seal-vouched')}</div>`;
  const colour = `hsl(${(CATEGORIES.indexOf(category) * 360) / CATEGORIES.length} 55% 45%)`;
  return html`${breadcrumbs([[CATEGORY_WORDS[category]]])}<header class="opening of-category">${accentOf(colour)}${monogram(icon(CATEGORY_ICONS[category]), colour)}
    <div><h1>${CATEGORY_WORDS[category]}</h1><p class="tagline">${CATEGORY_TEXTS[category]}</p></div>${searchForm(query)}</header>`;
}

function titleFor(query: CatalogueQuery): string {
  if (isSearch(query)) return query.q?.trim() ?? '';
  return query.category ? CATEGORY_WORDS[query.category] : '';
}

/** A page of the catalogue. */
export const cataloguePage = (query: CatalogueQuery, apps: CatalogPage, extras: Extras): PublicPage => ({
  title: titleFor(query),
  search: false,
  description: query.category === undefined ? 'Apps for your chat client' : CATEGORY_TEXTS[query.category],
  path: addressOf({}, { category: query.category }),
  body: html`<main class="page catalogue" id="content">
      ${opening(query, extras.hasCli)}
      ${results(query, apps, extras)}
    </main>`,
});

export const noCategoryPage = (): PublicPage => ({
  title: 'There is no such category',
  description: NO_CATEGORY_HINT,
  path: '/',
  body: html`<main class="page catalogue" id="content">
      ${breadcrumbs([['There is no such category']])}
      <h1>There is no such category</h1>
      <p>${NO_CATEGORY_HINT}</p>
      <ul class="pills" aria-label="Categories">${CATEGORIES.map((category) => chip({}, category, CATEGORY_WORDS[category], CATEGORY_ICONS[category]))}</ul>
      <p><a class="button" href="/">Show all apps</a></p>
    </main>`,
});
