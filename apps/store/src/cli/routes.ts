import type { RouteHandler } from '../access/bind-route.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import { ApiError } from '../platform/api-error.ts';
import { etagOf } from '../platform/etag.ts';
import { cliPage } from './cli-page.ts';
import { readServedCli, type ServedCli } from './served-cli.ts';

/** How long the package and its page may be kept, in seconds: they change only with the program. */
const CACHE_SECONDS = 300;

type CliDeps = {
  /** The package of the command line; null when the store came without it. */
  cliFile: string | null;
  baseUrl: string;
};

/** The command line of the store, and the page that says how to get it. */
export function cliRoutes({ cliFile, baseUrl }: CliDeps) {
  let made: Promise<ServedCli> | undefined;
  const cli = (): Promise<ServedCli> => {
    if (cliFile === null)
      throw new ApiError('not_found', 'This store came without the command line: npm run build adds it.');
    made ??= readServedCli(cliFile, baseUrl);
    return made;
  };
  const cache = publicFor(CACHE_SECONDS);
  return {
    cliTarball: (async (c) => {
      const { body, sha256, version } = await cli();
      return sendCacheable(c, body, {
        'Content-Type': 'application/gzip',
        'Content-Length': String(body.length),
        'Content-Disposition': `attachment; filename="svc-cli-${version}.tgz"`,
        'Cache-Control': cache,
        'X-Content-Type-Options': 'nosniff',
        ETag: `"${sha256}"`,
      });
    }) satisfies RouteHandler<'cliTarball'>,
    cliPage: (async (c) => {
      const { text, headers } = cliPage(baseUrl, await cli());
      const body = Buffer.from(text(c.get('brand')));
      const type = 'text/html; charset=utf-8';
      return sendCacheable(c, body, {
        'Content-Type': type,
        'Cache-Control': cache,
        ...headers,
        ETag: etagOf(body),
      });
    }) satisfies RouteHandler<'cliPage'>,
  };
}
