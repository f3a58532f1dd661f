import { escapeText } from '@svc/text';
import type { Additions } from '../../core/access/extension.ts';
import type { ListingStore } from '../../core/domain/listings/listing-store.ts';
import { file, xml } from '../../core/web/file.ts';
import { addressOfApp } from '../../core/web/paths.ts';
import type { EncodedPage } from '../../http/encoded-page.ts';
import { ApiError } from '../../platform/api-error.ts';
import { keptFor } from '../../platform/kept-for.ts';
import type { Clock } from '../../platform/system.ts';

export type WebFileDeps = {
  listings: Pick<ListingStore, 'updatesAfter'>;
  clock: Clock;
  baseUrl: string;
  additions: readonly Additions[];
};

/** `robots.txt` (RFC 9309): pages of the catalogue and docs, and no search, which has endless addresses. */
export const robotsTxt = ({ baseUrl }: WebFileDeps): EncodedPage =>
  file(
    'text/plain; charset=utf-8',
    'User-agent: *\nDisallow: /account\nDisallow: /admin\nDisallow: /moderation\nDisallow: /api/\nDisallow: /sign-in\nDisallow: /*?q=\nAllow: /\n\n' +
      `Sitemap: ${baseUrl}/sitemap.xml\n`,
  );

/** `llms.txt` (llmstxt.org): where an agent finds what it needs to use this store. */
export function llmsTxt({ baseUrl, additions }: WebFileDeps, name: string): EncodedPage {
  const linesOf = (section: 'clients' | 'publishers' | 'feeds') =>
    additions
      .flatMap(({ llms }) => llms?.(baseUrl)[section] ?? [])
      .map((line) => `- ${line}\n`)
      .join('');
  const part = (title: string, lines: string) => (lines === '' ? '' : `\n## ${title}\n\n${lines}`);
  return file(
    'text/markdown; charset=utf-8',
    `# ${escapeText(name, 'page')}

> An app store for chat clients. Apps are signed bundles; their tools run on remote MCP servers.

## For agents and clients

- [Catalogue](${baseUrl}/api/apps/catalog): JSON; \`?q=\` searches, \`?category=\` filters
- [OpenAPI](${baseUrl}/api/openapi.json): all endpoints
- [Revocation list](${baseUrl}/api/apps/revocations): yanked versions, signed
${linesOf('clients')}${part('For publishers', linesOf('publishers'))}${part('Feeds', linesOf('feeds'))}`,
  );
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
