import { sign } from 'node:crypto';
import type { Context } from 'hono';
import type { Env } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { FIXED_SECONDS, fixedPage } from '../../core/web/fixed.ts';
import { etagOf } from '../../http/encoded-page.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import { cliPage, type PageDeps, SUMS } from './cli-page.ts';
import { createDownloads } from './downloads.ts';
import { readServedCli, type ServedCli } from './served-cli.ts';

export type CliDeps = PageDeps &
  Pick<Parts, 'signingKey' | 'log' | 'clock'> & {
    /** The package of the command line; null when it was not built. */ cliFile: string | null;
    /** The folder of the downloads, which need not exist. */ downloadsDir: string;
  };

/** The headers of what changes only with a build. */
const HEADERS = { 'Cache-Control': publicFor(FIXED_SECONDS), 'X-Content-Type-Options': 'nosniff' };

/** The downloads of the command line, and the page that says how to install it. */
export function cliRoutes(deps: CliDeps): HandlersOf<'cli'> {
  let served: Promise<ServedCli> | undefined;
  const cli = (): Promise<ServedCli> => {
    if (deps.cliFile === null)
      throw new ApiError(
        'not_found',
        'This store has no command line to download: its operator adds it with npm run build.',
      );
    served ??= readServedCli(deps.cliFile, deps.baseUrl);
    return served;
  };
  const downloads = createDownloads(deps);

  async function sums(): Promise<Buffer> {
    const all = [{ name: 'cli.tgz', sha256: (await cli()).sha256 }, ...(await downloads())];
    return Buffer.from(all.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  }

  async function sendSums(c: Context<Env>, isSignature: boolean): Promise<Response> {
    const text = await sums();
    // Everything else that the key signs begins with `{`, or with the origin of the log.
    const body = isSignature ? sign(null, text, deps.signingKey.privateKey) : text;
    const type = isSignature ? 'application/octet-stream' : 'text/plain; charset=utf-8';
    return sendCacheable(c, body, { ...HEADERS, 'Content-Type': type, ETag: etagOf(body) });
  }

  return {
    cliTarball: async (_request, c) => {
      const { body, sha256, version } = await cli();
      return sendCacheable(c, body, {
        'Content-Type': 'application/gzip',
        'Content-Length': String(body.length),
        'Content-Disposition': `attachment; filename="svc-cli-${version}.tgz"`,
        ...HEADERS,
        ETag: `"${sha256}"`,
      });
    },
    download: async ({ params: { file } }, c) => {
      if (file === SUMS || file === `${SUMS}.sig`) return sendSums(c, file !== SUMS);
      const found = (await downloads()).find(({ name }) => name === file);
      if (!found) throw new ApiError('not_found', 'There is no such download: the page /cli lists them.');
      return sendCacheable(c, found.read, {
        'Content-Type': 'application/zip',
        'Content-Length': String(found.bytes),
        'Content-Disposition': `attachment; filename="${found.name}"`,
        ...HEADERS,
        ETag: `"${found.sha256}"`,
      });
    },
    cliPage: async (_request, c) => {
      const page = cliPage(deps, await cli(), await downloads());
      return fixedPage(() => page)(c);
    },
  };
}
