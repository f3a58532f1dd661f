import type { AppDetail, CatalogEntry, Manifest, ReviewOrder } from '@svc/contracts';
import { raw } from 'hono/html';
import type { Additions } from '../../core/access/extension.ts';
import { appDetail, type BrowseDeps, browseCatalog, type VersionCache } from '../../core/catalog/browse.ts';
import type { TombstoneDeps } from '../../core/catalog/tombstone.ts';
import { withRendered } from '../../core/catalog/with-rendered.ts';
import type { VersionPermissions } from '../../core/domain/listings/present.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { VersionRecord } from '../../core/domain/versions/version-record.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import type { AppShown } from './app-page.ts';
import type { LinkPreview, Previews } from './previews.ts';
import { namedApps } from './requirements.ts';
import { VERSIONS_A_PAGE } from './versions-section.ts';

/** Characters of the hash in the address of a preview. */
const SHOWN = 12;

/**
 * The address of a page's preview. It contains the hash, so that caches load a changed preview again.
 * @param page the path of the page; that of the preview is below it
 */
export const addressOfPreview = (page: string, { hash }: LinkPreview): string =>
  `${page === '/' ? '' : page}/preview.png?v=${hash.slice(0, SHOWN)}`;

export function previewOfApp(
  previews: Pick<Previews, 'ofApp'>,
  { appId, manifest, files }: VersionRecord,
  publisher: { name: string; slug: string },
): LinkPreview {
  const icon = files.find(({ path }) => path === manifest.branding.icon);
  if (!icon) throw new Error('The icon of a listed version is missing.');
  return previews.ofApp({ appId, name: manifest.name, icon }, publisher);
}

export type AppPageDeps = BrowseDeps &
  TombstoneDeps &
  Pick<Parts, 'lives' | 'serverOf' | 'appStats' | 'renderer' | 'routeNames'> & {
    permissions: VersionCache<VersionPermissions>;
    /** What extensions add to the pages. */
    additions: readonly Additions[];
    previews: Pick<Previews, 'ofApp'>;
    /** The most installed apps of each category. */
    similar: PageCache<SimilarApps>;
  };

/** Apps for cards, and their size in memory. */
export type SimilarApps = { apps: CatalogEntry[]; bytes: number };

/** The most similar apps on the page of an app: a row of it. */
const MAX_SIMILAR = 3;

/** Rendered HTML; null when it is empty. */
const htmlOf = (html: string | undefined) => (html === undefined || html === '' ? null : raw(html));

/** The apps named in a manifest that this store lists, in one query. */
async function inStore({ listings }: AppPageDeps, manifest: Manifest): Promise<ReadonlySet<string>> {
  const ids = namedApps(manifest);
  const listed = ids.length === 0 ? [] : await listings.findAll(ids);
  return new Set(listed.map(({ appId }) => appId));
}

/** The approximate size of a card in memory, in bytes. */
const CARD_BYTES = 2_048;

/**
 * The most installed apps of the first category of an app. They are cached by category, so that a page does not need a query of its
 * own.
 */
async function similarApps(
  deps: AppPageDeps,
  { appId, categories: [category] }: AppDetail,
): Promise<CatalogEntry[]> {
  if (category === undefined) return [];
  const { apps } = await deps.similar.get(category, async () => {
    const page = await browseCatalog(deps, { category, sort: 'installs', limit: MAX_SIMILAR + 1 });
    return { apps: page.apps, bytes: page.apps.length * CARD_BYTES };
  });
  return apps.filter((app) => app.appId !== appId).slice(0, MAX_SIMILAR);
}

/** A page of versions, and one more, which shows whether there are older ones. */
const partOf = (page: number) => ({ from: (page - 1) * VERSIONS_A_PAGE, count: VERSIONS_A_PAGE + 1 });

/** The position of the lists on the page: a cursor of reviews and their order, and a page of versions from 1. */
export type Positions = {
  reviews?: string | undefined;
  sort?: ReviewOrder | undefined;
  versions?: number | undefined;
};

/**
 * Loads the content of an app's page, and its link preview.
 * @throws ApiError not_found; invalid_request for an invalid cursor
 */
export async function loadAppPage(
  deps: AppPageDeps,
  appId: string,
  { versions = 1, ...positions }: Positions,
): Promise<{ shown: AppShown; preview: LinkPreview }> {
  const app = await withRendered(deps, await appDetail(deps, appId, partOf(versions)));
  const listed = await deps.versions.find({ appId, version: app.version });
  if (!listed) throw new Error('A listed version is missing.');
  const changelogs = app.versions.flatMap(({ version, changelogHtml }) => {
    const html = htmlOf(changelogHtml);
    return html ? [[version, html] as const] : [];
  });
  const [required, sections, similar, [download]] = await Promise.all([
    inStore(deps, listed.manifest),
    Promise.all(deps.additions.map(({ appSection }) => appSection?.(app, positions) ?? '')),
    similarApps(deps, app),
    Promise.all(deps.additions.flatMap(({ clientDownload }) => clientDownload?.() ?? [])),
  ]);
  const shown = {
    app,
    manifest: listed.manifest,
    inStore: required,
    similar,
    versionPage: versions,
    readme: htmlOf(app.readmeHtml),
    changelogs: new Map(changelogs),
    links: deps.additions.flatMap(({ appLink }) => appLink?.(appId) ?? []),
    sections,
    hasCli: deps.routeNames.has('cliTarball'),
    download: download ?? null,
  };
  return { shown, preview: previewOfApp(deps.previews, listed, app.publisher) };
}
