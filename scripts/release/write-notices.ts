import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { licencesOf, materialsOf } from './licences.ts';
import { ROOT, type Target } from './targets.ts';

/** The list of all that is inside. */
export const MATERIALS = 'sbom.cdx.json';

/** What a bundled package must say of itself, and of the packages whose code it holds. */
export const NOTICES = ['NOTICE.md', 'THIRD-PARTY-LICENSES.txt', MATERIALS];

/** Writes into a bundled package its licences, and the list of what it is made of. @param modules paths of the modules inside */
export async function writeNotices(
  dist: string,
  { folder, manifest }: Target,
  modules: Iterable<string>,
): Promise<void> {
  const inside = [...modules];
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(inside));
  const materials = await materialsOf(inside, manifest);
  await writeFile(join(dist, MATERIALS), `${JSON.stringify(materials, null, 2)}\n`);
  await cp(join(folder, 'README.md'), join(dist, 'README.md'));
  for (const name of ['LICENSE', 'NOTICE.md']) await cp(join(ROOT, name), join(dist, name));
}
