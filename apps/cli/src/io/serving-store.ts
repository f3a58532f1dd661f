import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where a store writes its address into the package of this program that it serves: beside its package.json. */
const OWN_FILE = pathToFileURL(join(dirname(findPackageJSON(import.meta.url) as string), 'store.json'));

/** The address of the store that served this program; undefined when none did. */
export function servingStore(file: URL = OWN_FILE): string | undefined {
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { store: string }).store;
}
