import { extname } from 'node:path';
import { OWN_FILES } from '../../http/own-files.ts';
import { TYPES, type WebFiles } from './read-web-files.ts';

/** The static files of the store's pages, and their addresses. */
export type StaticFiles = { files: WebFiles; addresses: ReadonlyMap<string, string> };

export function readStaticFiles(): StaticFiles {
  const all = [...OWN_FILES];
  return {
    files: new Map(all.map(([name, { path, body }]) => [path, { body, type: TYPES[extname(name)] ?? '' }])),
    addresses: new Map(all.map(([name, { path }]) => [name, `/${path}`])),
  };
}
