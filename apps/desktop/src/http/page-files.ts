import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Exchange, notFound } from './exchange.ts';

/** A file of the page; `gzipped` is made at the first request of a client that takes it. */
type PageFile = { body: Uint8Array; type: string; gzipped?: Promise<Uint8Array> };

const gzipped = promisify(gzip);

/** What compresses: texts, and not pictures or fonts. */
const TEXT = /^(?:text\/|image\/svg|application\/manifest)/;

/** Whether a client takes gzip (RFC 9110 section 12.5.3). */
const takesGzip = (accepted = ''): boolean =>
  accepted.split(',').some((element) => {
    const [coding = '', weight = 'q=1'] = element.split(';').map((part) => part.trim().toLowerCase());
    return coding === 'gzip' && Number(weight.slice('q='.length)) > 0;
  });

/** The bytes of a file as a client takes them: a third of a script, for a desktop that is reached over a network. */
async function encoded(file: PageFile, accepted: string | undefined): Promise<[Uint8Array, object]> {
  if (!TEXT.test(file.type)) return [file.body, {}];
  if (!takesGzip(accepted)) return [file.body, { Vary: 'Accept-Encoding' }];
  file.gzipped ??= gzipped(file.body);
  return [await file.gzipped, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }];
}

/** Files by path relative to the folder of the built page, with forward slashes. */
type PageFiles = ReadonlyMap<string, PageFile>;

/** Media types of page files. Other files are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const NOT_BUILT = 'The page of svc desktop is not built. In a clone of the project, run: npm run build\n';

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the built page into memory, so that no request can read other files. */
async function readPageFiles(folder: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const name of await namesIn(folder)) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(name.split(sep).join('/'), { body: await readFile(join(folder, name)), type });
  }
  return files;
}

export type PageSources = { store: string; panels: string };

/** Security headers: nothing inline, no other origins, no framing, no opener. */
const headersFor = ({ store, panels }: PageSources): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' blob: ${new URL(store).origin}`,
    'media-src blob:',
    "connect-src 'self'",
    `frame-src ${panels}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** The `Cache-Control` of a file of the page. Names of scripts and styles contain their hash; other files are revalidated. */
export const cacheControlOf = (name: string): string =>
  name.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-cache';

/**
 * Creates the handler of the built page. It responds with 503 if the page is not built.
 * @param folder output folder of the page's build
 * @param sources other origins that the page may load from
 */
export async function pageFiles(
  folder: string,
  sources: PageSources,
): Promise<(exchange: Exchange) => Promise<void>> {
  const files = await readPageFiles(folder);
  const safe = headersFor(sources);
  return async ({ path, request, response }) => {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const file = files.get(name);
    if (!file && path === '/') {
      response.writeHead(503, { ...safe, 'Content-Type': 'text/plain; charset=utf-8' }).end(NOT_BUILT);
      return;
    }
    if (!file) throw notFound('Page not found.');
    const [body, encoding] = await encoded(file, request.headers['accept-encoding']);
    const headers = {
      'Content-Type': file.type,
      'Cache-Control': cacheControlOf(name),
      'Content-Length': body.length,
      ...encoding,
    };
    response.writeHead(200, { ...safe, ...headers }).end(request.method === 'HEAD' ? undefined : body);
  };
}
