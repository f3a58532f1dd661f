import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { partFolder } from '../../../platform/own-package.ts';
import { type Doc, renderDoc } from './render-doc.ts';

const INDEX = 'index';

/** The folders of documents: those that people write, and those that the code does (`npm run gen`). */
const FOLDERS = ['', 'reference'];

/** The index, and all other documents by name, in the order in which the index links to them. */
export type Docs = { index: Doc | null; pages: ReadonlyMap<string, Doc> };

/**
 * Reads and renders all documents into memory, so that no request can open a file.
 * @param folder the repository's `docs`, or its copy in the package; without it there are no documents
 */
export async function readDocs(folder = partFolder('docs')): Promise<Docs> {
  if (!existsSync(join(folder, 'index.md'))) return { index: null, pages: new Map() };
  const listed = await Promise.all(FOLDERS.map((part) => readdir(join(folder, part))));
  const files = listed.flatMap((names, n) =>
    names.filter((file) => file.endsWith('.md')).map((file) => [FOLDERS[n] ?? '', file] as const),
  );
  const docs: Doc[] = [];
  for (const [part, file] of files) {
    docs.push(renderDoc(file.slice(0, -3), await readFile(join(folder, part, file), 'utf8'), part));
    // Rendering all takes a tenth of a second; other requests wait for one document at most.
    await setImmediate();
  }
  const index = docs.find(({ name }) => name === INDEX) ?? null;
  const orderOf = ({ name }: Doc): number => {
    const order = index?.linksTo.indexOf(name) ?? -1;
    return order < 0 ? files.length : order;
  };
  const pages = docs
    .filter(({ name }) => name !== INDEX)
    .sort((a, b) => orderOf(a) - orderOf(b) || (a.name < b.name ? -1 : 1));
  return { index, pages: new Map(pages.map((doc) => [doc.name, doc])) };
}

let own: Promise<Docs> | undefined;

/** The documents of this program, rendered at the first call, once for all stores of the process. */
export function ownDocs(): Promise<Docs> {
  own ??= readDocs().catch((error: unknown) => {
    own = undefined;
    throw error;
  });
  return own;
}
