import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { partsPage, STYLES } from './parts-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const UI = join(ROOT, 'packages/ui/static');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The files beside the page, by their addresses: no request names another. */
const FILES = new Map<string, string>([
  ...[...STYLES, 'theme.js', 'shell.js', 'copy.js'].map((name) => [`/${name}`, join(UI, name)] as const),
  ['/icon.svg', join(ROOT, 'apps/store/static/icon.svg')],
  ['/inter.woff2', join(UI, 'inter-latin.woff2')],
]);

/** The page, read again at each request: a change of a style sheet shows when it is loaded again. */
const page = async (): Promise<string> =>
  partsPage({
    tokensCss: await readFile(join(UI, 'tokens.css'), 'utf8'),
    iconPaths: JSON.parse(await readFile(join(UI, 'icons.json'), 'utf8')),
  });

/**
 * Serves the page of parts on this machine.
 * @param port any free one when 0
 */
export async function serveParts(port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = FILES.get(path);
    if (file === undefined && path !== '/') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
      return;
    }
    const type = file === undefined ? 'text/html; charset=utf-8' : (TYPES[extname(file)] ?? '');
    const body = file === undefined ? await page() : await readFile(file);
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, 'localhost', resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
