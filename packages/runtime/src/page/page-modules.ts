import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';

/** The modules of a page's half, without their ending: those of the entry `page` and all that they import. */
export const PAGE_MODULES = [
  'page',
  'page/client/connect-page',
  'page/client/panel-element',
  'page/client/read-events',
  'panels/host/mount-panel',
  'panels/bridge/token-bucket',
  'panels/bridge/messages',
] as const;

const FOLDER = join(import.meta.dirname, '..');

/** `.js` as published; `.ts` where the sources run themselves. */
const ENDING = extname(import.meta.filename);

/** The text of a module by its path, such as `page.js`; null when a page needs no such module. */
export async function pageModule(path: string): Promise<string | null> {
  const name = path.slice(0, -extname(path).length);
  if (!PAGE_MODULES.some((known) => known === name)) return null;
  const text = await readFile(join(FOLDER, name + ENDING), 'utf8');
  return ENDING === '.ts' ? stripTypeScriptTypes(text) : text;
}
