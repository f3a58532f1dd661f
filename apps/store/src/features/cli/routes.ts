import type { Handlers } from '../../access/bind-route.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import { etagOf } from '../../platform/etag.ts';
import { cliPage } from './cli-page.ts';
import { readServedCli, type ServedCli } from './served-cli.ts';

/** How long the package and its page may be cached, in seconds: they change only with the program. */
const CACHE_SECONDS = 300;

type CliDeps = Pick<Parts, 'baseUrl'> & {
  /** The package of the command line; null when it was not built. */ cliFile: string | null;
};

/** The download of the command line, and the page that says how to install it. */
export function cliRoutes({ cliFile, baseUrl }: CliDeps) {
  let served: Promise<ServedCli> | undefined;
  const cli = (): Promise<ServedCli> => {
    if (cliFile === null)
      throw new ApiError(
        'not_found',
        'This store has no command line to download: its operator adds it with npm run build.',
      );
    served ??= readServedCli(cliFile, baseUrl);
    return served;
  };
  const cache = publicFor(CACHE_SECONDS);
  return {
    cliTarball: async (_request, c) => {
      const { body, sha256, version } = await cli();
      return sendCacheable(c, body, {
        'Content-Type': 'application/gzip',
        'Content-Length': String(body.length),
        'Content-Disposition': `attachment; filename="svc-cli-${version}.tgz"`,
        'Cache-Control': cache,
        'X-Content-Type-Options': 'nosniff',
        ETag: `"${sha256}"`,
      });
    },
    cliPage: async (_request, c) => {
      const { text, headers } = cliPage(baseUrl, await cli());
      const body = Buffer.from(text(c.get('brand')));
      const type = 'text/html; charset=utf-8';
      return sendCacheable(c, body, {
        'Content-Type': type,
        'Cache-Control': cache,
        ...headers,
        ETag: etagOf(body),
      });
    },
  } satisfies Handlers;
}
