import { type CatalogEntry, LIMITS, type Publisher } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { ApiError } from '../../platform/api-error.ts';
import { type BrowseDeps, presentApps } from '../../core/catalog/browse.ts';
import { publisherTombstone, type TombstoneDeps } from '../../core/catalog/tombstone.ts';
import type { PublisherWithStatus } from '../../core/domain/identity/publisher-store.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { appCard, verdict } from './app-card.ts';
import { accentOf, appIcon, compact, dayOf, listHead, monogram } from './figures.ts';
import type { PublicPage } from './frame.ts';
import { addressOfApp, addressOfPublisher } from '../../core/web/paths.ts';
import { appsText } from './words.ts';

export type PublisherPageDeps = Pick<Parts, 'publishers' | 'listings'> & TombstoneDeps;

/** The content of a publisher's page. */
type PublisherShown = {
  publisher: Publisher;
  apps: CatalogEntry[];
  /** When its website last had the proof; null without one, and when the last check did not find it. */
  provenAt: string | null;
};

/**
 * Finds a public publisher, with at least one listed app. A suspended publisher has none.
 * @throws ApiError not_found, stopped
 */
export async function requirePublicPublisher(
  deps: PublisherPageDeps,
  slug: string,
): Promise<PublisherWithStatus & { appIds: string[] }> {
  const found = await deps.publishers.findWithStatus(slug);
  const appIds = found ? await deps.listings.mostInstalledOf(slug, LIMITS.catalog.maxPage) : [];
  if (!found || appIds.length === 0)
    throw (
      (await publisherTombstone(deps, slug)) ??
      new ApiError('not_found', `There is no publisher ${slug} with apps in this store.`)
    );
  return { ...found, appIds };
}

/**
 * Loads a publisher with its apps, most installed first.
 * @throws ApiError not_found
 */
export async function loadPublisherPage(
  deps: BrowseDeps & PublisherPageDeps,
  slug: string,
): Promise<PublisherShown> {
  const { publisher, status, appIds } = await requirePublicPublisher(deps, slug);
  const apps = await presentApps(deps, await deps.listings.findAll(appIds));
  const isProven = status.verifiedBy === 'website' && status.missingSince === null;
  return { publisher, apps, provenAt: isProven ? status.checkedAt : null };
}

const NEWEST = 5;

/** The mean over all ratings of the apps, not over the apps; null without ratings. */
function meanRating(apps: readonly CatalogEntry[]): number | null {
  const count = apps.reduce((sum, { rating }) => sum + rating.count, 0);
  const stars = apps.reduce((sum, { rating }) => sum + rating.average * rating.count, 0);
  return count === 0 ? null : stars / count;
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

const newest = (apps: readonly CatalogEntry[]): CatalogEntry[] =>
  apps.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1)).slice(0, NEWEST);

/** The page of a publisher: who it is, its apps, and their newest versions. */
export function publisherPage({ publisher, apps, provenAt }: PublisherShown): PublicPage {
  const { slug, name, website, verifiedHost, createdAt } = publisher;
  const count = appsText(apps.length, apps.length >= LIMITS.catalog.maxPage);
  const accent = apps.find((app) => app.accent !== '')?.accent ?? '';
  return {
    title: name,
    description: `${count} by ${name}: checked before they are listed, and signed.`,
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
        </div>
        ${figures(apps)}
      </header>
      <section aria-labelledby="apps">${listHead('apps', 'Apps')}
        <ul class="apps">${apps.map((app) => appCard(app, 'h3'))}</ul></section>
      <section aria-labelledby="newest">${listHead('newest', 'Newest versions')}
        <ul class="rows">${newest(apps).map(
          (app) =>
            html`<li><div class="cluster">${appIcon(app, 32)} <span><a href="${addressOfApp(app.appId)}"><bdi>${app.name}</bdi></a> ${app.version}</span></div> <span class="hint">${dayOf(app.publishedAt)}</span></li>`,
        )}</ul></section>
    </main>`,
  };
}
