import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { type Exchange, notFound } from './exchange.ts';

type PageFile = { body: Uint8Array; type: string };

/** Path below the folder of the built page, with forward slashes, to file. */
type PageFiles = ReadonlyMap<string, PageFile>;

/** Media types of what the page is made of; anything else in the folder is not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const NOT_BUILT = 'The page of the desktop is not built. In a clone of the project, run: npm run build\n';

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the built page into memory, so that no request can name a file that was not there at the start. */
async function readPageFiles(folder: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const name of await namesIn(folder)) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(name.split(sep).join('/'), { body: await readFile(join(folder, name)), type });
  }
  return files;
}

/** What the page loads from elsewhere: pictures of the store, and the frames of panels. */
export type PageReach = { store: string; panels: string };

/** Nothing inline, nothing from elsewhere but those, in nobody's frame, with nobody holding its window. */
const headersFor = ({ store, panels }: PageReach): Record<string, string> => ({
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

/**
 * What serves the built page. It says plainly when there is none.
 * @param folder what the page was built into
 * @param reach what the page may load from elsewhere
 */
export async function pageFiles(folder: string, reach: PageReach): Promise<(exchange: Exchange) => void> {
  const files = await readPageFiles(folder);
  const safe = headersFor(reach);
  return ({ path, request, response }) => {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const file = files.get(name);
    if (!file && path === '/') {
      response.writeHead(503, { ...safe, 'Content-Type': 'text/plain; charset=utf-8' }).end(NOT_BUILT);
      return;
    }
    if (!file) throw notFound('There is no such page here.');
    // Scripts and styles carry their hash in their name; a page asks again.
    const cache = name.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-cache';
    const headers = { 'Content-Type': file.type, 'Cache-Control': cache, 'Content-Length': file.body.length };
    response.writeHead(200, { ...safe, ...headers }).end(request.method === 'HEAD' ? undefined : file.body);
  };
}
