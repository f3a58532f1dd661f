import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { bundleStore } from '../tools/release/bundle-store.ts';
import { compile } from '../tools/release/compile.ts';
import { packCli } from '../tools/release/pack-cli.ts';
import { publishedManifest, withOwnDependencies } from '../tools/release/published-manifest.ts';
import { isBundled, ownDependencies, ROOT, readTargets, type Target } from '../tools/release/targets.ts';

const writeManifest = (target: Target): Promise<void> =>
  writeFile(
    join(target.folder, 'dist', 'package.json'),
    publishedManifest(target, relative(ROOT, target.folder)),
  );

/** Copies the packages of this repository that a package imports into its `dist/`, so that its tarball is self-contained. */
async function carryOwnDependencies(target: Target, targets: readonly Target[]): Promise<void> {
  const dist = join(target.folder, 'dist');
  for (const { folder, manifest } of ownDependencies(target, targets)) {
    const filter = (file: string) => !file.startsWith(join(folder, 'dist', 'node_modules'));
    await cp(join(folder, 'dist'), join(dist, 'node_modules', manifest.name), { recursive: true, filter });
  }
}

/** Copies the built page of the desktop into its package. */
async function copyPage({ folder, manifest }: Target): Promise<void> {
  if (manifest.name !== '@svc/desktop') return;
  const from = join(folder, 'page', 'dist');
  if (!existsSync(from)) throw new Error('The page of the desktop is not built: run npm run build.');
  await cp(from, join(folder, 'dist', 'page', 'dist'), { recursive: true });
}

async function copyRest({ folder }: Target): Promise<void> {
  const own = join(folder, 'static');
  if (existsSync(own)) await cp(own, join(folder, 'dist', 'static'), { recursive: true });
  for (const name of ['README.md', 'LICENSE', 'NOTICE.md']) {
    const own = join(folder, name);
    await cp(existsSync(own) ? own : join(ROOT, name), join(folder, 'dist', name));
  }
}

/** Runs publint. Everything in `dist/` is packed, so npm need not compute the file list. */
async function lint({ folder, manifest }: Target): Promise<boolean> {
  const { messages, pkg } = await publint({ pkgDir: join(folder, 'dist'), strict: true, pack: false });
  for (const message of messages) process.stderr.write(`${manifest.name}: ${formatMessage(message, pkg)}\n`);
  return messages.every(({ type }) => type === 'suggestion');
}

/** Writes everything into `dist/` except the compiled code. */
async function copyFiles(target: Target): Promise<void> {
  await writeManifest(target);
  await copyRest(target);
  await copyPage(target);
}

/** Builds every package for publishing into its `dist/`, and checks it with publint. */
async function build(): Promise<void> {
  const targets = await readTargets();
  await packCli();
  await bundleStore();
  const compiled = targets.filter((target) => !isBundled(target));
  for (const { folder } of compiled) await rm(join(folder, 'dist'), { recursive: true, force: true });
  compile(compiled);
  for (const target of compiled) {
    await copyFiles(target);
    process.stderr.write(`built ${target.manifest.name}\n`);
  }
  // After all are built: each is copied without its own copied dependencies.
  for (const target of compiled) await carryOwnDependencies(target, targets);
  for (const target of compiled) {
    const file = join(target.folder, 'dist', 'package.json');
    await writeFile(file, withOwnDependencies(await readFile(file, 'utf8'), target, targets));
  }
  const isClean = await Promise.all(targets.map(lint));
  if (isClean.includes(false)) process.exitCode = 1;
}

await build();
