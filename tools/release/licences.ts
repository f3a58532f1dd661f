import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const RULE = `\n${'-'.repeat(80)}\n\n`;

/** The package folders of modules. */
function packageFolders(modules: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const module of modules) {
    const [path = ''] = module.replace(/^\0/, '').split('?');
    if (!path.includes('/node_modules/')) continue;
    let folder = dirname(path);
    // A nested package.json that only marks a folder as ESM or CommonJS is not the root of the package.
    while (!isPackage(folder)) folder = dirname(folder);
    folders.add(folder);
  }
  return [...folders].sort();
}

const isPackage = (folder: string): boolean =>
  existsSync(join(folder, 'package.json')) && /node_modules\/(@[^/]+\/)?[^/]+$/.test(folder);

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)(\.|-|$)/i.test(file));
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')));
  if (texts.length === 0 && !license) throw new Error(`${name} comes without a licence.`);
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts.map((text) => text.trim())].join('\n\n');
}

/** The SBOM of a bundle, in CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/). */
export async function sbomOf(
  modules: Iterable<string>,
  { name, version }: { name: string; version: string },
): Promise<object> {
  const component = (part: { name: string; version: string; license?: string }, type: string) => ({
    type,
    'bom-ref': `${part.name}@${part.version}`,
    name: part.name,
    version: part.version,
    purl: `pkg:npm/${part.name.replace('@', '%40')}@${part.version}`,
    ...(part.license && { licenses: [{ expression: part.license }] }),
  });
  const parts = packageFolders(modules).map(async (folder) =>
    component(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')), 'library'),
  );
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component({ name, version, license: 'Apache-2.0' }, 'application') },
    components: await Promise.all(parts),
  };
}

/**
 * The licences of all packages with code in a bundle: MIT, BSD and ISC require their texts to be included.
 * @param modules paths of the modules in the bundle
 */
export async function licencesOf(modules: Iterable<string>): Promise<string> {
  const texts = await Promise.all(packageFolders(modules).map(licenceOf));
  return `${['This program contains code of these packages, under their licences.', ...texts].join(RULE)}\n`;
}
