import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { PACKAGES } from './architecture.ts';

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

type Package = { name: string; private?: boolean; [field: string]: unknown };

/** A package that is published, in an order in which each comes after what it imports. */
type Target = { folder: string; manifest: Package };

const readPackage = async (folder: string): Promise<Package> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

async function targets(): Promise<Target[]> {
  const all = await Promise.all(
    PACKAGES.map(async ({ path }) => ({
      folder: join(ROOT, path),
      manifest: await readPackage(join(ROOT, path)),
    })),
  );
  return all.filter(({ manifest }) => manifest.private !== true);
}

/** Source names as they are called once built. */
const built = (text: string): string => text.replaceAll(/(?<![\w./-])(\.\.?\/src\/[\w./-]+)\.ts\b/g, '$1.js');

/** Types of the packages built before, so that each is checked against what others will get. */
async function pathsTo({ folder, manifest }: Target): Promise<Record<string, string[]>> {
  const exports = (manifest.exports ?? {}) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(exports).map(([entry, file]) => [
      manifest.name + entry.slice(1),
      [join(folder, 'dist', file.replace(/\.ts$/, '.d.ts'))],
    ]),
  );
}

async function compile({ folder, manifest }: Target, paths: Record<string, string[]>): Promise<void> {
  const config = join(folder, 'dist', 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    incremental: false,
    tsBuildInfoFile: null,
    declaration: true,
    sourceMap: true,
    inlineSources: true,
    rootDir: folder,
    outDir: join(folder, 'dist'),
    paths,
  };
  const sources = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions,
    include: [join(folder, 'src')],
    exclude: [],
  };
  await writeFile(config, JSON.stringify(sources));
  const { status } = spawnSync(process.execPath, [TSC, '-p', config], { cwd: folder, stdio: 'inherit' });
  await rm(config);
  if (status !== 0) throw new Error(`${manifest.name} does not compile.`);
}

/** The package.json of what is published: the same, with built names, types, and nothing that only the repository needs. */
async function writeManifest({ folder, manifest }: Target): Promise<void> {
  const { publishConfig: _directory, devDependencies: _dev, exports, ...kept } = manifest;
  const typed = Object.fromEntries(
    Object.entries((exports ?? {}) as Record<string, string>).map(([entry, file]) => [
      entry,
      { types: file.replace(/\.ts$/, '.d.ts'), default: file },
    ]),
  );
  const text = JSON.stringify({ ...kept, ...(exports !== undefined && { exports: typed }) }, null, 2);
  const names = built(text).replaceAll(/(?<![\w./-])(\.\/src\/[\w./-]+)\.d\.js\b/g, '$1.d.ts');
  await writeFile(join(folder, 'dist', 'package.json'), `${names}\n`);
}

/** The documents, for the package that serves them; the pages about codes are made of the rules themselves. */
async function copyDocs({ folder, manifest }: Target): Promise<void> {
  if (manifest.name !== '@svc/store') return;
  const docs = join(ROOT, 'docs');
  const texts = (await readdir(docs)).filter((file) => file.endsWith('.md'));
  for (const file of texts) await cp(join(docs, file), join(folder, 'dist', 'docs', file));
}

/** The built pages, for the packages that serve them: where they are, and where the package looks for them. */
const PAGES: Readonly<Record<string, { from: string; to: string }>> = {
  '@svc/store': { from: 'apps/web/dist', to: 'web' },
  '@svc/desktop': { from: 'apps/desktop/page/dist', to: 'page/dist' },
};

async function copyPages({ folder, manifest }: Target): Promise<void> {
  const pages = PAGES[manifest.name];
  if (!pages) return;
  const from = join(ROOT, pages.from);
  if (!existsSync(from)) throw new Error('The pages are not built: use npm run build.');
  await cp(from, join(folder, 'dist', pages.to), { recursive: true });
}

async function copyRest({ folder }: Target): Promise<void> {
  const own = join(folder, 'static');
  if (existsSync(own)) await cp(own, join(folder, 'dist', 'static'), { recursive: true });
  for (const name of ['README.md', 'LICENSE', 'NOTICE.md']) {
    const own = join(folder, name);
    await cp(existsSync(own) ? own : join(ROOT, name), join(folder, 'dist', name));
  }
  const bin = join(folder, 'bin');
  if (!existsSync(bin)) return;
  await cp(bin, join(folder, 'dist', 'bin'), { recursive: true });
  for (const name of ['svc.js', 'svc-store.js'].filter((file) => existsSync(join(bin, file)))) {
    const text = await readFile(join(bin, name), 'utf8');
    await writeFile(join(folder, 'dist', 'bin', name), built(text));
  }
}

async function lint({ folder, manifest }: Target): Promise<boolean> {
  const { messages, pkg } = await publint({ pkgDir: join(folder, 'dist'), strict: true });
  for (const message of messages) process.stderr.write(`${manifest.name}: ${formatMessage(message, pkg)}\n`);
  return messages.every(({ type }) => type === 'suggestion');
}

/** Builds every package for publishing into its `dist/`, and has publint look at the result. */
async function build(): Promise<void> {
  const paths: Record<string, string[]> = {};
  let sound = true;
  for (const target of await targets()) {
    const dist = join(target.folder, 'dist');
    await rm(dist, { recursive: true, force: true });
    await mkdir(dist, { recursive: true });
    await compile(target, paths);
    await writeManifest(target);
    await copyRest(target);
    await copyPages(target);
    await copyDocs(target);
    Object.assign(paths, await pathsTo(target));
    sound = (await lint(target)) && sound;
    process.stderr.write(`built ${target.manifest.name}\n`);
  }
  if (!sound) process.exitCode = 1;
}

await build();
