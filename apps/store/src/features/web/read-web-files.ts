import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { OWN_FILES } from '../../http/own-files.ts';

/** A built file: its bytes and its media type. */
export type WebFile = { readonly body: Uint8Array; readonly type: string };

/** Built files, by their path below the folder of the built pages, with forward slashes. */
export type WebFiles = ReadonlyMap<string, WebFile>;

/** Media types of served files. Other files in the folder are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built pages into memory, so that no request can open a file.
 * @param folder the build output of `apps/web`; null when it was not built
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

/** The static files of the store's pages, and their addresses. */
type StaticFiles = { files: WebFiles; addresses: ReadonlyMap<string, string> };

export function readStaticFiles(): StaticFiles {
  const all = [...OWN_FILES];
  return {
    files: new Map(all.map(([name, { path, body }]) => [path, { body, type: TYPES[extname(name)] ?? '' }])),
    addresses: new Map(all.map(([name, { path }]) => [name, `/${path}`])),
  };
}
