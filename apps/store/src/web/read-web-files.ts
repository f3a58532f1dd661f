import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** A built file that the store serves: its bytes and their media type. */
export type WebFile = { readonly body: Uint8Array; readonly type: string };

/** Path below the folder of the built pages, with forward slashes, to file. */
export type WebFiles = ReadonlyMap<string, WebFile>;

/** Media types of what the pages are made of; anything else in the folder is not served. */
export const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built pages into memory: they are few and small, and no request can then name a file that was not there at
 * the start.
 * @param folder what `apps/web` was built into; null when it was not
 */
export async function readWebFiles(folder: string | null): Promise<WebFiles> {
  const files = new Map<string, WebFile>();
  if (folder === null) return files;
  for (const name of await readdir(folder, { recursive: true })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(name.split(sep).join('/'), { body: await readFile(join(folder, name)), type });
  }
  return files;
}
