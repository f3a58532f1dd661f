import type { AppDetail, AppReview, AppReviews, CatalogEntry, Manifest } from '@svc/contracts';
import { raw } from 'hono/html';
import { appDetail, type BrowseDeps, browseCatalog } from '../catalog/browse.ts';
import type { VersionCache } from '../catalog/version-cache.ts';
import { withRendered } from '../catalog/with-rendered.ts';
import type { AppStatsStore } from '../domain/listings/app-stats-store.ts';
import type { VersionReach } from '../domain/listings/present.ts';
import type { LinkPreview, Previews } from '../pictures/previews.ts';
import type { PageCache } from '../platform/page-cache.ts';
import type { SafeRenderer } from '../platform/renderer.ts';
import type { RatingStore } from '../ratings/rating-store.ts';
import { reviewsOf } from '../ratings/read-reviews.ts';
import type { AppShown } from './app-page.ts';
import { previewOfApp } from './previews.ts';
import { namedApps } from './requirements.ts';
import type { ReviewShown, ReviewsShown } from './reviews-section.ts';
import { VERSIONS_A_PAGE } from './versions-section.ts';

export type LookDeps = BrowseDeps & {
  reaches: VersionCache<VersionReach>;
  appStats: AppStatsStore;
  ratings: RatingStore;
  renderer: SafeRenderer;
  previews: Pick<Previews, 'ofApp'>;
  /** The apps of a category that most people installed, by the category. */
  similar: PageCache<SimilarApps>;
};

/** Apps as cards show them, and what they take in memory. */
export type SimilarApps = { apps: CatalogEntry[]; bytes: number };

const REVIEWS_A_PAGE = 10;
/** Other apps that the page of one shows. */
const MAX_SIMILAR = 4;

/** HTML that the renderer made, or nothing where it had nothing to make it of. */
const htmlOf = (html: string | undefined) => (html === undefined || html === '' ? null : raw(html));

async function showReview(renderer: SafeRenderer, review: AppReview): Promise<ReviewShown> {
  const { author, rating, title, version, updatedAt, reply } = review;
  return {
    author: author.name,
    stars: rating,
    title,
    version,
    updatedAt,
    body: raw(await renderer.review(review.body)),
    reply: reply ? { body: raw(await renderer.review(reply.body)), updatedAt: reply.updatedAt } : null,
  };
}

async function showReviews(
  renderer: SafeRenderer,
  { rating, reviews, nextCursor }: AppReviews,
): Promise<ReviewsShown> {
  const shown = await Promise.all(reviews.map((review) => showReview(renderer, review)));
  return { ...rating, reviews: shown, next: nextCursor };
}

/** Which of the apps that an app names this store lists, by one query for all of them. */
async function inStore({ listings }: LookDeps, manifest: Manifest): Promise<ReadonlySet<string>> {
  const ids = namedApps(manifest);
  const found = ids.length === 0 ? [] : await listings.findAll(ids);
  return new Set(found.map(({ appId }) => appId));
}

/** A card says some two kilobytes. */
const CARD_BYTES = 2_048;

/**
 * The apps of its first category that most people installed: no search is run for a page that anyone may ask for. They are the same
 * for all apps of a category, whose apps would else be counted for each page.
 */
async function similarApps(
  deps: LookDeps,
  { appId, categories: [category] }: AppDetail,
): Promise<CatalogEntry[]> {
  if (category === undefined) return [];
  const { apps } = await deps.similar.get(category, async () => {
    const found = await browseCatalog(deps, { category, sort: 'installs', limit: MAX_SIMILAR + 1 });
    return { apps: found.apps, bytes: found.apps.length * CARD_BYTES };
  });
  return apps.filter((app) => app.appId !== appId).slice(0, MAX_SIMILAR);
}

/** A page of versions, and one more, which tells whether there are older ones. */
const partOf = (page: number) => ({ from: (page - 1) * VERSIONS_A_PAGE, count: VERSIONS_A_PAGE + 1 });

/** Where the parts of a page begin: a cursor of reviews, and a page of versions from 1 on. */
export type Places = { reviews?: string | undefined; versions?: number | undefined };

/**
 * All that the page of an app shows, and the picture that chats show of a link to it.
 * @throws ApiError not_found; invalid_request for a cursor that no page gave
 */
export async function loadAppPage(
  deps: LookDeps,
  appId: string,
  { reviews: cursor, versions = 1 }: Places,
): Promise<{ shown: AppShown; preview: LinkPreview }> {
  const app = await withRendered(deps.renderer, await appDetail(deps, appId, partOf(versions)));
  const listed = await deps.versions.find({ appId, version: app.version });
  if (!listed) throw new Error('A listed version is gone.');
  const page = { limit: REVIEWS_A_PAGE, ...(cursor !== undefined && { cursor }) };
  const changelogs = app.versions.flatMap(({ version, changelogHtml }) => {
    const html = htmlOf(changelogHtml);
    return html ? [[version, html] as const] : [];
  });
  const [required, reviews, similar] = await Promise.all([
    inStore(deps, listed.manifest),
    reviewsOf(deps, appId, page),
    similarApps(deps, app),
  ]);
  const shown = {
    app,
    manifest: listed.manifest,
    inStore: required,
    similar,
    versionPage: versions,
    readme: htmlOf(app.readmeHtml),
    changelogs: new Map(changelogs),
    reviews: await showReviews(deps.renderer, reviews),
  };
  return { shown, preview: previewOfApp(deps.previews, listed, app.publisher) };
}
