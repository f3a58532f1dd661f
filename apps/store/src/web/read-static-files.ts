import { createHash } from 'node:crypto';
import { join, parse } from 'node:path';
import { readWebFiles, type WebFiles } from './read-web-files.ts';

const FOLDER = join(import.meta.dirname, '../../static');
const HASH_LENGTH = 12;

/** The store's own files for its own pages, and the addresses they are served under. */
export type StaticFiles = { files: WebFiles; addresses: ReadonlyMap<string, string> };

/** Reads them. Each is served under a name that changes with its content, as browsers keep it for a year. */
export async function readStaticFiles(): Promise<StaticFiles> {
  const named = Array.from(await readWebFiles(FOLDER), ([file, content]) => {
    const { name, ext } = parse(file);
    const hash = createHash('sha256').update(content.body).digest('hex').slice(0, HASH_LENGTH);
    return { file, content, path: `assets/${name}-${hash}${ext}` };
  });
  return {
    files: new Map(named.map(({ path, content }) => [path, content])),
    addresses: new Map(named.map(({ file, path }) => [file, `/${path}`])),
  };
}
