import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const RULE = `\n${'-'.repeat(80)}\n\n`;

/** The folders of the packages that modules come from, by their paths. */
function packageFolders(modules: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const module of modules) {
    const [path = ''] = module.replace(/^\0/, '').split('?');
    if (!path.includes('/node_modules/')) continue;
    let folder = dirname(path);
    // A package.json without a version marks a folder as ESM or CommonJS, and is not the package's own.
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

/** What a bundle is made of, as CycloneDX 1.5 writes it down (https://cyclonedx.org/docs/1.5/json/). */
export async function materialsOf(
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
 * The licences of all packages that a bundle holds a part of: MIT, BSD and ISC ask that their texts go along.
 * @param modules paths of the modules in the bundle
 */
export async function licencesOf(modules: Iterable<string>): Promise<string> {
  const texts = await Promise.all(packageFolders(modules).map(licenceOf));
  return `${['This program holds code of these packages, under their licences.', ...texts].join(RULE)}\n`;
}
