import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';

/** The modules of the page side, without extension: the entry `page` and everything that it imports. */
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

/** `.js` as published; `.ts` when the sources run directly. */
const ENDING = extname(import.meta.filename);

/** The source of a module by its path, such as `page.js`; null if the page does not need such a module. */
export async function pageModule(path: string): Promise<string | null> {
  const name = path.slice(0, -extname(path).length);
  if (!PAGE_MODULES.some((known) => known === name)) return null;
  const text = await readFile(join(FOLDER, name + ENDING), 'utf8');
  return ENDING === '.ts' ? stripTypeScriptTypes(text) : text;
}
