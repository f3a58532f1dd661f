import { type CatalogEntry, LIMITS } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { html } from 'hono/html';
import type { PublicPublisher } from '../../core/catalog/public-publisher.ts';
import { addressOfApp, addressOfPublisher } from '../../core/web/paths.ts';
import { dayOf, type Html, icon } from '../../http/html.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { appCard, verdict } from './app-card.ts';
import { accentOf, appIcon, compact, listHead, monogram } from './figures.ts';
import type { PublicPage } from './frame.ts';
import { appsText, CATEGORY_WORDS, FACETS } from './words.ts';

const NEWEST = 5;

/** The mean over all ratings of the apps, not over the apps; null without ratings. */
function meanRating(apps: readonly CatalogEntry[]): number | null {
  const ratings = apps.reduce((sum, { rating }) => sum + rating.count, 0);
  const stars = apps.reduce((sum, { rating }) => sum + rating.average * rating.count, 0);
  return ratings === 0 ? null : stars / ratings;
}

const figure = (value: string, label: string): Html => html`<p><strong>${value}</strong> ${label}</p>`;

function figures(apps: readonly CatalogEntry[]): Html {
  const rating = meanRating(apps);
  const installs = apps.reduce((sum, app) => sum + app.installs, 0);
  return html`<div class="cluster publisher-figures">
    ${figure(String(apps.length), apps.length === 1 ? 'app' : 'apps')}
    ${installs === 0 ? '' : figure(compact.format(installs), installs === 1 ? 'install' : 'installs')}
    ${rating === null ? '' : figure(rating.toFixed(1), 'mean rating')}
  </div>`;
}

/** Categories that are named. */
const CATEGORIES = 3;

/** What the store knows of all apps of a publisher: what for, how far they reach, and what none of them asks for. */
function knownOf(apps: readonly CatalogEntry[]): Html {
  const categories = [...new Set(apps.flatMap((app) => app.categories))]
    .filter((one) => one !== 'other')
    .slice(0, CATEGORIES);
  const tools = apps.reduce((sum, app) => sum + app.tools.length, 0);
  const hosts = new Set(apps.flatMap(({ domains }) => domains)).size;
  const facts: [picture: string, text: string][] = [
    ['list-checks', categories.map((one) => CATEGORY_WORDS[one]).join(', ')],
    ['wrench', tools === 0 ? '' : count(tools, 'tool')],
    ['globe', hosts === 0 ? '' : `Contacts ${count(hosts, 'host')}`],
    ...(['no-files', 'no-account'] as const).map((name): [string, string] => [
      name === 'no-files' ? 'file-text' : 'key-round',
      apps.every(FACETS[name].has) ? FACETS[name].label : '',
    ]),
  ];
  const known = facts.filter(([, text]) => text !== '');
  return html`<p class="figures known">${known.map(([picture, text]) => html`<span>${icon(picture)}${text}</span> `)}</p>`;
}

const newest = (apps: readonly CatalogEntry[]): CatalogEntry[] =>
  apps.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1)).slice(0, NEWEST);

/** The page of a publisher: who it is, its apps, and their newest versions. */
export function publisherPage({ publisher, apps, provenAt }: PublicPublisher): PublicPage {
  const { slug, name, website, verifiedHost, createdAt } = publisher;
  const appCount = appsText(apps.length, apps.length >= LIMITS.catalog.maxPage);
  const accent = apps.find((app) => app.accent !== '')?.accent ?? '';
  return {
    title: name,
    description: `${appCount} by ${name}: checked before they are listed, and signed.`,
    path: addressOfPublisher(slug),
    body: html`<main class="page catalogue" id="content">
      ${breadcrumbs([[name]])}
      <header class="opening">
        ${accentOf(accent)}${monogram([...name][0] ?? '', accent)}
        <div>
          <h1><bdi>${name}</bdi></h1>
          <p class="by">${verdict({ publisher })}
            ${website === undefined || website === '' ? '' : html`<a href="${website}" rel="nofollow noopener ugc">${new URL(website).host === verifiedHost ? 'Website' : new URL(website).host}</a>`}
            ${provenAt === null ? '' : html`<span>Website checked ${dayOf(provenAt)}</span>`}
            <span>In this store since ${dayOf(createdAt)}</span></p>
          ${knownOf(apps)}
        </div>
        ${figures(apps)}
      </header>
      <section aria-labelledby="apps">${listHead('apps', 'Apps')}
        <ul class="apps">${apps.map((app) => appCard(app, 'h3', true))}</ul></section>
      <section aria-labelledby="newest">${listHead('newest', 'Newest versions')}
        <ul class="rows">${newest(apps).map(
          (app) =>
            html`<li><div class="cluster">${appIcon(app, 32)} <span><a href="${addressOfApp(app.appId)}"><bdi>${app.name}</bdi></a> ${app.version}</span></div> <span class="hint">${dayOf(app.publishedAt)}</span></li>`,
        )}</ul></section>
    </main>`,
  };
}
