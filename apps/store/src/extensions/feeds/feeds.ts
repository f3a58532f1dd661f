import type { CatalogEntry } from '@svc/contracts';
import { type BrowseDeps, browseCatalog, presentApps } from '../../core/catalog/browse.ts';
import { type PublicPublisherDeps, readPublicPublisher } from '../../core/catalog/public-publisher.ts';
import { type TombstoneDeps, unlisted } from '../../core/catalog/tombstone.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { RevocationListing } from '../../core/revocations/revocation-list.ts';
import { xml } from '../../core/web/file.ts';
import { addressOfPublisher, urlOfApp } from '../../core/web/paths.ts';

/** What a feed lists: apps by their first version, or by their latest; or yanked versions. */
export const FEEDS = {
  new: { sort: 'new', title: 'New apps' },
  updated: { sort: 'updated', title: 'Updated apps' },
  yanks: { sort: null, title: 'Yanked versions' },
} as const;

export type FeedName = keyof typeof FEEDS;

/** A feed, as pages announce it to readers of feeds. @param path its path without the format */
export const feedLink = (title: string, path: string) => ({
  ...{ type: 'application/atom+xml', title },
  href: `${path}.atom`,
});

/** The feeds of the whole store. */
export const STORE_FEEDS = Object.entries(FEEDS).map(([name, { title }]) =>
  feedLink(title, `/feeds/${name}`),
);

/** Apps of a feed. Readers ask again long before so many are new. */
const FEED_APPS = 50;

export type FeedDeps = BrowseDeps &
  TombstoneDeps &
  PublicPublisherDeps &
  Pick<Parts, 'listings' | 'versions' | 'baseUrl' | 'routeNames'> & {
    revocationList: Pick<RevocationListing, 'current'>;
  };

/** A file, before it is encoded. */
export type FeedFile = { type: string; text: string };

/** An entry of a feed. */
type Item = {
  id: string;
  url: string;
  title: string;
  text: string;
  at: string;
  author: string;
  image?: string;
};

/** A feed: its title, its path without the format, the URL of the page that it is of, and its entries, newest first. */
type Feed = { title: string; path: string; page: string; items: readonly Item[] };

export type FeedFormat = 'atom' | 'json';

/** An Atom feed (RFC 4287). */
function atom({ title, path, page, items }: Feed, baseUrl: string): FeedFile {
  const updated = items.reduce((last, { at }) => (at > last ? at : last), '1970-01-01T00:00:00.000Z');
  const entries = items.map(
    (item) => `  <entry>
    <id>${xml(item.id)}</id>
    <title>${xml(item.title)}</title>
    <link href="${xml(item.url)}"/>
    <updated>${item.at}</updated>
    <author><name>${xml(item.author)}</name></author>
    <summary>${xml(item.text)}</summary>
  </entry>\n`,
  );
  return {
    type: 'application/atom+xml; charset=utf-8',
    text: `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(baseUrl + path)}.atom</id>
  <title>${xml(title)}</title>
  <link href="${xml(page)}"/>
  <link rel="self" href="${xml(baseUrl + path)}.atom"/>
  <updated>${updated}</updated>
${entries.join('')}</feed>
`,
  };
}

/** A JSON Feed (jsonfeed.org, version 1.1). */
const jsonFeed = ({ title, path, page, items }: Feed, baseUrl: string): FeedFile => ({
  type: 'application/feed+json; charset=utf-8',
  text: JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: `${baseUrl + path}.json`,
    items: items.map(({ id, url, title: name, text, at, author, image }) => ({
      ...{ id, url, title: name, content_text: text },
      ...(image !== undefined && { image }),
      date_published: at,
      authors: [{ name: author }],
    })),
  }),
});

const written = (of: Feed, { baseUrl }: FeedDeps, format: FeedFormat): FeedFile =>
  (format === 'atom' ? atom : jsonFeed)(of, baseUrl);

/** A page of the store that a feed is of, or the catalogue as the API has it in a store without pages. */
const pageAt = ({ baseUrl, routeNames }: FeedDeps, path: string): string =>
  baseUrl + (routeNames.has('cataloguePage') ? path : '/api/apps/catalog');

const itemOf = (deps: FeedDeps, app: CatalogEntry): Item => {
  const url = urlOfApp(deps, app.appId);
  const id = `${url}#${encodeURIComponent(app.version)}`;
  const title = `${app.name} ${app.version}`;
  return {
    id,
    url,
    title,
    text: app.tagline,
    at: app.publishedAt,
    author: app.publisher.name,
    image: app.iconUrl,
  };
};

/** The last yanked versions. */
async function yanks(deps: FeedDeps): Promise<Item[]> {
  const { entries } = await deps.revocationList.current();
  const latest = entries.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, FEED_APPS);
  const records = await deps.versions.findAll(latest);
  const names = new Map(
    records.map(({ appId, version, manifest }) => [`${appId} ${version}`, manifest.name]),
  );
  return latest.map(({ appId, version, reason, at }) => {
    const url = urlOfApp(deps, appId);
    const id = `${url}#${encodeURIComponent(version)}-yanked`;
    const name = names.get(`${appId} ${version}`);
    const title = `${name === undefined ? appId : `${name} (${appId})`} ${version} was yanked`;
    return { id, url, title, text: reason, at, author: name ?? appId };
  });
}

/** The newest apps, the last updated ones, or the last yanked versions. */
export async function feed(deps: FeedDeps, name: FeedName, format: FeedFormat): Promise<FeedFile> {
  const { title, sort } = FEEDS[name];
  const items =
    sort === null
      ? await yanks(deps)
      : (await browseCatalog(deps, { sort, limit: FEED_APPS })).apps.map((app) => itemOf(deps, app));
  return written({ title, path: `/feeds/${name}`, page: pageAt(deps, '/'), items }, deps, format);
}

/** The versions of an app that were published last. @throws ApiError not_found, stopped */
export async function appFeed(deps: FeedDeps, appId: string, format: FeedFormat): Promise<FeedFile> {
  const listed = await deps.listings.find(appId);
  const [app] = listed ? await presentApps(deps, [listed]) : [];
  if (!app) throw await unlisted(deps, appId);
  const { name, publisher } = app;
  const versions = await deps.versions.lastPublished(appId, FEED_APPS);
  const url = urlOfApp(deps, appId);
  const items = versions.map(({ version, publishedAt, changelog }) => ({
    id: `${url}#${encodeURIComponent(version)}`,
    ...{ url, title: `${name} ${version}`, text: changelog, at: publishedAt, author: publisher.name },
  }));
  const path = `/feeds/apps/${encodeURIComponent(appId)}`;
  return written({ title: name, path, page: url, items }, deps, format);
}

/** The last updated apps of a publisher. @throws ApiError not_found, stopped */
export async function publisherFeed(deps: FeedDeps, slug: string, format: FeedFormat): Promise<FeedFile> {
  const { publisher, apps } = await readPublicPublisher(deps, slug);
  const latest = apps.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1)).slice(0, FEED_APPS);
  const items = latest.map((app) => itemOf(deps, app));
  const path = `/feeds/publishers/${slug}`;
  return written(
    { title: publisher.name, path, page: pageAt(deps, addressOfPublisher(slug)), items },
    deps,
    format,
  );
}
