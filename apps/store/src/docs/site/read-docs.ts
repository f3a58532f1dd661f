import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { partFolder } from '../../platform/own-package.ts';
import { type Doc, renderDoc } from './render-doc.ts';

const INDEX = 'index';

/** All documents by name, in the order in which the index names them; the index is none of them. */
export type Docs = { index: Doc | null; pages: ReadonlyMap<string, Doc> };

/**
 * Reads and renders the documents, once: no request can then name a file that was not there at the start.
 * @param folder the repository's `docs`, or its copy in the package; without one there are no documents
 */
export async function readDocs(folder = partFolder('docs')): Promise<Docs> {
  if (!existsSync(join(folder, 'index.md'))) return { index: null, pages: new Map() };
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md'));
  const docs: Doc[] = [];
  for (const file of files) {
    docs.push(renderDoc(file.slice(0, -3), await readFile(join(folder, file), 'utf8')));
    // Rendering all takes a tenth of a second, and other requests wait for no more than one of them.
    await setImmediate();
  }
  const index = docs.find(({ name }) => name === INDEX) ?? null;
  const placeOf = ({ name }: Doc): number => {
    const place = index?.linksTo.indexOf(name) ?? -1;
    return place < 0 ? files.length : place;
  };
  const pages = docs
    .filter(({ name }) => name !== INDEX)
    .sort((one, other) => placeOf(one) - placeOf(other) || (one.name < other.name ? -1 : 1));
  return { index, pages: new Map(pages.map((doc) => [doc.name, doc])) };
}

let own: Promise<Docs> | undefined;

/** The documents of this program, rendered once for all stores of the process, when they are first asked for. */
export function ownDocs(): Promise<Docs> {
  own ??= readDocs().catch((error: unknown) => {
    own = undefined;
    throw error;
  });
  return own;
}
