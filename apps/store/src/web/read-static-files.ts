import { extname } from 'node:path';
import { OWN_FILES } from '../http/own-files.ts';
import { TYPES, type WebFiles } from './read-web-files.ts';

/** The store's own files for its own pages, and the addresses they are served under. */
export type StaticFiles = { files: WebFiles; addresses: ReadonlyMap<string, string> };

/** The files as they are served. */
export function readStaticFiles(): StaticFiles {
  const all = [...OWN_FILES];
  return {
    files: new Map(all.map(([name, { path, body }]) => [path, { body, type: TYPES[extname(name)] ?? '' }])),
    addresses: new Map(all.map(([name, { path }]) => [name, `/${path}`])),
  };
}
