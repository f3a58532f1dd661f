import type { CatalogEntry, Oembed } from '@svc/contracts';
import { escapeText } from '@svc/text';
import type { Additions } from '../../access/extension.ts';
import type { ListingStore } from '../../domain/listings/listing-store.ts';
import { type EncodedPage, encodePage } from '../../http/encoded-page.ts';
import { publicFor } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import { keptFor } from '../../platform/kept-for.ts';
import type { Clock } from '../../platform/system.ts';
import { appDetail, type BrowseDeps, browseCatalog, presentApps } from '../catalog/browse.ts';
import { unlisted } from '../catalog/tombstone.ts';
import type { RevocationListing } from '../revocations/revocation-list.ts';
import { addressOfApp, addressOfPublisher, FEEDS, type FeedName } from './paths.ts';
import { loadPublisherPage, type PublisherPageDeps } from './publisher-page.ts';

/** Apps of a feed. Readers ask again long before so many are new. */
const FEED_APPS = 50;

/** How long these files may be cached, in seconds. */
const FILE_SECONDS = 300;

export type WebFileDeps = BrowseDeps &
  Parameters<typeof appDetail>[0] & {
    listings: ListingStore;
    revocationList: Pick<RevocationListing, 'current'>;
    securityContact: string | null;
    clock: Clock;
    baseUrl: string;
    additions: readonly Additions[];
  };

type OembedQuery = {
  url: string;
  format?: string | undefined;
  maxwidth?: number | undefined;
  maxheight?: number | undefined;
};

const file = (type: string, text: string): EncodedPage =>
  encodePage(Buffer.from(text), { 'Content-Type': type, 'Cache-Control': publicFor(FILE_SECONDS) });

/** `robots.txt` (RFC 9309): pages of the catalogue and docs, and no search, which has endless addresses. */
export const robotsTxt = ({ baseUrl }: WebFileDeps): EncodedPage =>
  file(
    'text/plain; charset=utf-8',
    'User-agent: *\nDisallow: /account\nDisallow: /admin\nDisallow: /moderation\nDisallow: /api/\nDisallow: /sign-in\nDisallow: /*?q=\nAllow: /\n\n' +
      `Sitemap: ${baseUrl}/sitemap.xml\n`,
  );

/** `llms.txt` (llmstxt.org): where an agent finds what it needs to use this store. */
export function llmsTxt({ baseUrl, additions }: WebFileDeps, name: string): EncodedPage {
  const linesOf = (section: 'clients' | 'feeds') =>
    additions
      .flatMap(({ llms }) => llms?.(baseUrl)[section] ?? [])
      .map((line) => `- ${line}\n`)
      .join('');
  return file(
    'text/markdown; charset=utf-8',
    `# ${escapeText(name, 'page')}

> An app store for chat clients. Apps are signed bundles; their tools run on remote MCP servers.

## For agents and clients

- [Catalogue](${baseUrl}/api/apps/catalog): JSON; \`?q=\` searches, \`?category=\` filters
- [OpenAPI](${baseUrl}/api/openapi.json): all endpoints
- [Write a client](${baseUrl}/docs/client): keys, signatures, revocations, heads
- [Revocation list](${baseUrl}/api/apps/revocations): yanked versions, signed
${linesOf('clients')}
## For publishers

- [Publish an app](${baseUrl}/docs/publishing)
- [Codes](${baseUrl}/docs/codes): every finding of the checks

## Feeds

- [New apps](${baseUrl}/feeds/new.atom), [updated apps](${baseUrl}/feeds/updated.atom), [yanked versions](${baseUrl}/feeds/yanks.atom)
${linesOf('feeds')}`,
  );
}

const xml = (text: string): string => escapeText(text, 'html');

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

/** A feed: its title, its path without the format, the page that it is of, and its entries, newest first. */
type Feed = { title: string; path: string; page: string; items: readonly Item[] };

export type FeedFormat = 'atom' | 'json';

/** An Atom feed (RFC 4287). */
function atom({ title, path, page, items }: Feed, baseUrl: string): EncodedPage {
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
  return file(
    'application/atom+xml; charset=utf-8',
    `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(baseUrl + path)}.atom</id>
  <title>${xml(title)}</title>
  <link href="${xml(baseUrl + page)}"/>
  <link rel="self" href="${xml(baseUrl + path)}.atom"/>
  <updated>${updated}</updated>
${entries.join('')}</feed>
`,
  );
}

/** A JSON Feed (jsonfeed.org, version 1.1). */
const jsonFeed = ({ title, path, page, items }: Feed, baseUrl: string): EncodedPage =>
  file(
    'application/feed+json; charset=utf-8',
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title,
      home_page_url: baseUrl + page,
      feed_url: `${baseUrl + path}.json`,
      items: items.map(({ id, url, title: name, text, at, author, image }) => ({
        ...{ id, url, title: name, content_text: text },
        ...(image !== undefined && { image }),
        date_published: at,
        authors: [{ name: author }],
      })),
    }),
  );

const written = (of: Feed, { baseUrl }: WebFileDeps, format: FeedFormat): EncodedPage =>
  (format === 'atom' ? atom : jsonFeed)(of, baseUrl);

const urlOfApp = ({ baseUrl }: WebFileDeps, appId: string): string => baseUrl + addressOfApp(appId);

const itemOf = (deps: WebFileDeps, app: CatalogEntry): Item => {
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
async function yanks(deps: WebFileDeps): Promise<Item[]> {
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
export async function feed(deps: WebFileDeps, name: FeedName, format: FeedFormat): Promise<EncodedPage> {
  const { title, sort } = FEEDS[name];
  const items =
    sort === null
      ? await yanks(deps)
      : (await browseCatalog(deps, { sort, limit: FEED_APPS })).apps.map((app) => itemOf(deps, app));
  return written({ title, path: `/feeds/${name}`, page: '/', items }, deps, format);
}

/** Size of the pictures of link previews, in pixels. */
const PREVIEW = { width: 1_200, height: 630 };

/**
 * The description of an app for a page that links to it (oembed.com, sections 2.2 and 2.3).
 * @throws ApiError not_found for an address that is no page of an app
 */
export async function oembed(deps: WebFileDeps, name: string, query: OembedQuery): Promise<Oembed> {
  const { baseUrl } = deps;
  const url = URL.parse(query.url, baseUrl);
  const [, appId] =
    (url?.origin === new URL(baseUrl).origin && /^\/apps\/([\w.-]+)$/.exec(url.pathname)) || [];
  if (appId === undefined || (query.format ?? 'json') !== 'json')
    throw new ApiError(
      'not_found',
      `Name a page such as ${baseUrl}/apps/com.example.notes, as url, and the format json.`,
    );
  const app = await appDetail(deps, appId);
  const [maxWidth, maxHeight] = [query.maxwidth ?? PREVIEW.width, query.maxheight ?? PREVIEW.height];
  const fits = maxWidth >= PREVIEW.width && maxHeight >= PREVIEW.height;
  return {
    ...{ version: '1.0', type: 'link', title: app.name, provider_name: name, provider_url: baseUrl },
    ...{ author_name: app.publisher.name, author_url: baseUrl + addressOfPublisher(app.publisher.slug) },
    cache_age: FILE_SECONDS,
    ...(fits && {
      thumbnail_url: `${urlOfApp(deps, app.appId)}/preview.png`,
      ...{ thumbnail_width: PREVIEW.width, thumbnail_height: PREVIEW.height },
    }),
  };
}

/** The versions of an app that were published last. @throws ApiError not_found, stopped */
export async function appFeed(deps: WebFileDeps, appId: string, format: FeedFormat): Promise<EncodedPage> {
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
  return written({ title: name, path, page: addressOfApp(appId), items }, deps, format);
}

/** The last updated apps of a publisher. @throws ApiError not_found, stopped */
export async function publisherFeed(
  deps: WebFileDeps & PublisherPageDeps,
  slug: string,
  format: FeedFormat,
): Promise<EncodedPage> {
  const { publisher, apps } = await loadPublisherPage(deps, slug);
  const latest = apps.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1)).slice(0, FEED_APPS);
  const items = latest.map((app) => itemOf(deps, app));
  const path = `/feeds/publishers/${slug}`;
  return written({ title: publisher.name, path, page: addressOfPublisher(slug), items }, deps, format);
}

/** Months that a security.txt is valid: less than a year is recommended (RFC 9116 section 2.5.5). */
const EXPIRES_DAYS = 180;
const DAY_MS = 24 * 3_600_000;

/** `security.txt` (RFC 9116). @throws ApiError not_found where the operator names no contact */
export function securityTxt(deps: WebFileDeps): EncodedPage {
  const { baseUrl, securityContact, clock } = deps;
  if (securityContact === null)
    throw new ApiError('not_found', 'The operator of this store names no contact: see SVC_SECURITY_CONTACT.');
  // Rounded to a day, so that the file changes once a day.
  const expires = new Date(Math.floor(clock().getTime() / DAY_MS + EXPIRES_DAYS) * DAY_MS).toISOString();
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
  ];
  return file('text/plain; charset=utf-8', `${lines.join('\n')}\n`);
}

/** Addresses in one part (sitemaps.org: at most 50,000), and rows that are read at once. */
const PART = 50_000;
const ROWS = 200;

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SITEMAPS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** The apps of a part, read a few at a time, whatever the number of apps. */
async function* sitemapLines(deps: WebFileDeps, start: string): AsyncGenerator<string> {
  const base = xml(deps.baseUrl);
  yield `${XML}<urlset ${SITEMAPS}>\n`;
  if (start === '') yield `<url><loc>${base}/</loc></url>\n`;
  let [after, left] = [start, PART - 1];
  while (left > 0) {
    const rows = await deps.listings.updatesAfter(after, { limit: Math.min(ROWS, left) });
    // An encoded path has no character that XML escapes.
    yield rows
      .map(
        ({ appId, updatedAt }) =>
          `<url><loc>${base}${addressOfApp(appId)}</loc><lastmod>${updatedAt}</lastmod></url>\n`,
      )
      .join('');
    if (rows.length < Math.min(ROWS, left)) break;
    [after, left] = [rows.at(-1)?.appId ?? '', left - rows.length];
  }
  yield '</urlset>\n';
}

/** A stream of texts, read as the client takes them. */
function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}

/** The app after which each part begins: every part is found from the one before, so that all apps are passed once. */
async function startsOf({ listings }: WebFileDeps): Promise<string[]> {
  const starts = [''];
  for (;;) {
    const [last, next] = await listings.updatesAfter(starts.at(-1) ?? '', { limit: 2, offset: PART - 2 });
    if (!last || !next) return starts;
    starts.push(last.appId);
  }
}

/** How long the parts are kept, in milliseconds: apps that were added since are in the last one or at its end. */
const PARTS_MS = 10 * 60_000;

export function createSitemap(deps: WebFileDeps) {
  const partsNow = keptFor(deps.clock, null, PARTS_MS, () => startsOf(deps));
  /**
   * A part of the sitemap, or without a number all of it: an index of its parts where it has several.
   * @throws ApiError not_found
   */
  return async (part: number | null): Promise<ReadableStream<Uint8Array>> => {
    const starts = await partsNow();
    const start = starts[(part ?? 1) - 1];
    if (start === undefined) throw new ApiError('not_found', `The sitemap has ${starts.length} parts.`);
    if (part !== null || starts.length === 1) return streamOf(sitemapLines(deps, start));
    return streamOf(
      (async function* () {
        yield `${XML}<sitemapindex ${SITEMAPS}>\n`;
        yield starts
          .map((_, n) => `<sitemap><loc>${xml(deps.baseUrl)}/sitemaps/${n + 1}</loc></sitemap>\n`)
          .join('');
        yield '</sitemapindex>\n';
      })(),
    );
  };
}
