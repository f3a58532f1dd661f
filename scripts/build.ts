import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packCli } from './release/pack-cli.ts';
import { built, publishedManifest, withOwnDependencies } from './release/published-manifest.ts';
import { isBundled, ownDependencies, ROOT, readTargets, type Target } from './release/targets.ts';

const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

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

const writeManifest = (target: Target): Promise<void> =>
  writeFile(
    join(target.folder, 'dist', 'package.json'),
    publishedManifest(target, relative(ROOT, target.folder)),
  );

/** Puts the packages of this repository that a package imports into it: its tarball is then whole. */
async function carryOwnDependencies(target: Target, targets: readonly Target[]): Promise<void> {
  const dist = join(target.folder, 'dist');
  for (const { folder, manifest } of ownDependencies(target, targets)) {
    const filter = (file: string) => !file.startsWith(join(folder, 'dist', 'node_modules'));
    await cp(join(folder, 'dist'), join(dist, 'node_modules', manifest.name), { recursive: true, filter });
  }
}

/** The documents, for the package that serves them; the pages about codes are made of the rules themselves. */
async function copyDocs({ folder, manifest }: Target): Promise<void> {
  if (manifest.name !== '@svc/store') return;
  const docs = join(ROOT, 'docs');
  const texts = (await readdir(docs)).filter((file) => file.endsWith('.md'));
  for (const file of texts) await cp(join(docs, file), join(folder, 'dist', 'docs', file));
}

/** Tokens, components and icons of all pages, for the package that serves them. */
async function copyUi({ folder, manifest }: Target): Promise<void> {
  if (manifest.name !== '@svc/store') return;
  await cp(join(ROOT, 'packages/ui/static'), join(folder, 'dist', 'static', 'ui'), { recursive: true });
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
  const program = join(folder, 'dist', 'bin', 'svc-store.js');
  await writeFile(program, built(await readFile(program, 'utf8')));
}

async function lint({ folder, manifest }: Target): Promise<boolean> {
  const { messages, pkg } = await publint({ pkgDir: join(folder, 'dist'), strict: true });
  for (const message of messages) process.stderr.write(`${manifest.name}: ${formatMessage(message, pkg)}\n`);
  return messages.every(({ type }) => type === 'suggestion');
}

async function buildOne(target: Target, paths: Record<string, string[]>): Promise<void> {
  const dist = join(target.folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await compile(target, paths);
  await writeManifest(target);
  await copyRest(target);
  await copyPages(target);
  await copyDocs(target);
  await copyUi(target);
  Object.assign(paths, await pathsTo(target));
}

/** Builds every package for publishing into its `dist/`, and has publint look at the result. */
async function build(): Promise<void> {
  const paths: Record<string, string[]> = {};
  const targets = await readTargets();
  const cli = await packCli();
  const compiled = targets.filter((target) => !isBundled(target));
  for (const target of compiled) {
    await buildOne(target, paths);
    if (target.manifest.name === '@svc/store') await cp(cli, join(target.folder, 'dist', 'cli', 'cli.tgz'));
    process.stderr.write(`built ${target.manifest.name}\n`);
  }
  // Once all are built, as each is copied without what it carries itself.
  for (const target of compiled) await carryOwnDependencies(target, targets);
  for (const target of compiled) {
    const file = join(target.folder, 'dist', 'package.json');
    await writeFile(file, withOwnDependencies(await readFile(file, 'utf8'), target, targets));
  }
  const sound = await Promise.all(targets.map(lint));
  if (sound.includes(false)) process.exitCode = 1;
}

await build();
