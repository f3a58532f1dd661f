import type { CatalogEntry } from '@svc/contracts';
import { escapeText } from '@svc/text';
import { type EncodedPage, encodePage } from '../../http/encoded-page.ts';
import { publicFor } from '../../http/send.ts';
import { type BrowseDeps, browseCatalog } from '../catalog/browse.ts';
import { addressOfApp } from './paths.ts';

/** Apps of a feed. Readers ask again long before so many are new. */
const FEED_APPS = 50;

/** How long these files may be cached, in seconds. */
const FILE_SECONDS = 300;

export type WebFileDeps = BrowseDeps & { baseUrl: string };

/** What a feed lists: apps by their first version, or by their latest. */
export const FEEDS = {
  new: { sort: 'new', title: 'New apps' },
  updated: { sort: 'updated', title: 'Updated apps' },
} as const;

export type FeedName = keyof typeof FEEDS;

const file = (type: string, text: string): EncodedPage =>
  encodePage(Buffer.from(text), { 'Content-Type': type, 'Cache-Control': publicFor(FILE_SECONDS) });

/** `robots.txt` (RFC 9309): pages of the catalogue and docs, and no search, which has endless addresses. */
export const robotsTxt = (): EncodedPage =>
  file(
    'text/plain; charset=utf-8',
    'User-agent: *\nDisallow: /account\nDisallow: /admin\nDisallow: /moderation\nDisallow: /api/\nDisallow: /sign-in\nDisallow: /*?q=\nAllow: /\n',
  );

/** `llms.txt` (llmstxt.org): where an agent finds what it needs to use this store. */
export const llmsTxt = ({ baseUrl }: WebFileDeps, name: string): EncodedPage =>
  file(
    'text/markdown; charset=utf-8',
    `# ${escapeText(name, 'page')}

> An app store for chat clients. Apps are signed bundles; their tools run on remote MCP servers.

## For agents and clients

- [Catalogue](${baseUrl}/api/apps/catalog): JSON; \`?q=\` searches, \`?category=\` filters
- [OpenAPI](${baseUrl}/api/openapi.json): all endpoints
- [Write a client](${baseUrl}/docs/client): keys, signatures, revocations, heads
- [MCP registry](${baseUrl}/v0.1/servers): the same apps as MCP servers, for clients without svc
- [Revocation list](${baseUrl}/api/apps/revocations): yanked versions, signed

## For publishers

- [Publish an app](${baseUrl}/docs/publishing)
- [Codes](${baseUrl}/docs/codes): every finding of the checks

## Feeds

- [New apps](${baseUrl}/feeds/new.atom), [updated apps](${baseUrl}/feeds/updated.atom)
`,
  );

const xml = (text: string): string => escapeText(text, 'html');

const idOf = (baseUrl: string, app: CatalogEntry): string =>
  `${baseUrl}${addressOfApp(app.appId)}#${encodeURIComponent(app.version)}`;

/** An Atom feed (RFC 4287). */
function atom(baseUrl: string, name: FeedName, apps: readonly CatalogEntry[]): EncodedPage {
  const updated = apps.reduce(
    (last, { publishedAt }) => (publishedAt > last ? publishedAt : last),
    '1970-01-01T00:00:00.000Z',
  );
  const entries = apps.map(
    (app) => `  <entry>
    <id>${xml(idOf(baseUrl, app))}</id>
    <title>${xml(`${app.name} ${app.version}`)}</title>
    <link href="${xml(baseUrl + addressOfApp(app.appId))}"/>
    <updated>${app.publishedAt}</updated>
    <author><name>${xml(app.publisher.name)}</name></author>
    <summary>${xml(app.tagline)}</summary>
  </entry>\n`,
  );
  return file(
    'application/atom+xml; charset=utf-8',
    `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(baseUrl)}/feeds/${name}.atom</id>
  <title>${FEEDS[name].title}</title>
  <link href="${xml(baseUrl)}/"/>
  <link rel="self" href="${xml(baseUrl)}/feeds/${name}.atom"/>
  <updated>${updated}</updated>
${entries.join('')}</feed>
`,
  );
}

/** A JSON Feed (jsonfeed.org, version 1.1). */
const jsonFeed = (baseUrl: string, name: FeedName, apps: readonly CatalogEntry[]): EncodedPage =>
  file(
    'application/feed+json; charset=utf-8',
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: FEEDS[name].title,
      home_page_url: `${baseUrl}/`,
      feed_url: `${baseUrl}/feeds/${name}.json`,
      items: apps.map((app) => ({
        id: idOf(baseUrl, app),
        url: baseUrl + addressOfApp(app.appId),
        title: `${app.name} ${app.version}`,
        content_text: app.tagline,
        image: app.iconUrl,
        date_published: app.publishedAt,
        authors: [{ name: app.publisher.name }],
      })),
    }),
  );

/** The newest apps as a feed. */
export async function feed(deps: WebFileDeps, name: FeedName, format: 'atom' | 'json'): Promise<EncodedPage> {
  const { apps } = await browseCatalog(deps, { sort: FEEDS[name].sort, limit: FEED_APPS });
  return format === 'atom' ? atom(deps.baseUrl, name, apps) : jsonFeed(deps.baseUrl, name, apps);
}
