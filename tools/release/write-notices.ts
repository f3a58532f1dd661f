import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { licencesOf, sbomOf } from './licences.ts';
import { ROOT, type Target } from './targets.ts';

/** File name of the SBOM. */
export const SBOM_FILE = 'sbom.cdx.json';

/** Legal files of a bundled package. */
export const NOTICES = ['NOTICE.md', 'THIRD-PARTY-LICENSES.txt', SBOM_FILE];

/** Writes the licences and the SBOM of a bundled package. @param modules paths of the bundled modules */
export async function writeNotices(
  dist: string,
  { folder, manifest }: Target,
  modules: Iterable<string>,
): Promise<void> {
  const inside = [...modules];
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(inside));
  const sbom = await sbomOf(inside, manifest);
  await writeFile(join(dist, SBOM_FILE), `${JSON.stringify(sbom, null, 2)}\n`);
  await cp(join(folder, 'README.md'), join(dist, 'README.md'));
  for (const name of ['LICENSE', 'NOTICE.md']) await cp(join(ROOT, name), join(dist, name));
}
