import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { packCli } from './release/pack-cli.ts';
import { built, publishedManifest, withOwnDependencies } from './release/published-manifest.ts';
import { isBundled, ownDependencies, ROOT, readTargets, type Target } from './release/targets.ts';

/** What the compiler makes. Files lie beside their sources as far as it knows, so that `emittedAs` says where they go. */
const EMITTED: ts.CompilerOptions = {
  noEmit: false,
  noCheck: true,
  incremental: false,
  sourceMap: true,
  inlineSources: true,
  rootDir: ROOT,
};

/** Packages that others import have their types declared; of a program nobody imports, the types are stripped, file by file. */
const LIBRARY: ts.CompilerOptions = { ...EMITTED, declaration: true };
const PROGRAM: ts.CompilerOptions = { ...EMITTED, noResolve: true, noLib: true, types: [] };

const isLibrary = ({ manifest }: Target): boolean => manifest.exports !== undefined;

/** A file of a package's sources, as `dist/` of that package names it once compiled. */
function emittedAs(file: string, folders: readonly string[]): string {
  const folder = folders.find((one) => file.startsWith(`${one}/`));
  if (folder === undefined) throw new Error(`${file} belongs to no package that is published.`);
  return join(folder, 'dist', relative(folder, file));
}

const report = (diagnostics: readonly ts.Diagnostic[]): void => {
  const host = { getCanonicalFileName: String, getCurrentDirectory: () => ROOT, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(diagnostics, host));
};

/**
 * Compiles packages together, so that each source and each library is parsed once. `tsc` of `check:sources` checks their types;
 * what cannot be declared for others is an error here.
 */
function compile(targets: readonly Target[], how: ts.CompilerOptions): void {
  const folders = targets.map(({ folder }) => folder.replaceAll('\\', '/'));
  const parsed = ts.parseJsonConfigFileContent(
    { extends: './tsconfig.json', include: folders.map((folder) => `${folder}/src`), exclude: [] },
    ts.sys,
    ROOT,
    how,
  );
  const { tsBuildInfoFile: _none, ...options } = parsed.options;
  const program = ts.createProgram({ rootNames: parsed.fileNames, options });
  const { diagnostics } = program.emit(undefined, (file, text) => {
    const at = emittedAs(file, folders);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  });
  const faults = [...program.getSyntacticDiagnostics(), ...diagnostics];
  if (faults.length === 0) return;
  report(faults);
  throw new Error('The packages do not compile.');
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

/** Everything in a package's `dist/` but what is compiled. */
async function fill(target: Target): Promise<void> {
  await writeManifest(target);
  await copyRest(target);
  await copyPages(target);
  await copyDocs(target);
  await copyUi(target);
}

/** Builds every package for publishing into its `dist/`, and has publint look at the result. */
async function build(): Promise<void> {
  const targets = await readTargets();
  const cli = await packCli();
  const compiled = targets.filter((target) => !isBundled(target));
  for (const { folder } of compiled) await rm(join(folder, 'dist'), { recursive: true, force: true });
  compile(compiled.filter(isLibrary), LIBRARY);
  compile(
    compiled.filter((target) => !isLibrary(target)),
    PROGRAM,
  );
  for (const target of compiled) {
    await fill(target);
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
