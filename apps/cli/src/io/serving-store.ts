import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** File next to package.json, into which a store writes its URL when it serves this package. */
const OWN_FILE = pathToFileURL(join(dirname(findPackageJSON(import.meta.url) as string), 'store.json'));

/** The URL of the store that served this package; undefined when it came from elsewhere. */
export function servingStore(file: URL = OWN_FILE): string | undefined {
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { store: string }).store;
}
