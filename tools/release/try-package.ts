import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cleanEnv, type Installed } from './install-alone.ts';
import { runProgram } from './run-program.ts';
import { ROOT } from './targets.ts';
import { tryStore } from './try-store.ts';

const USES = join(import.meta.dirname, 'uses');

/** Runs a module of `uses/` next to the installed package. */
async function use({ folder, home, target }: Installed, node: string, module: string): Promise<void> {
  await cp(join(USES, module), join(folder, module));
  runProgram(node, ['--disable-warning=ExperimentalWarning', module, target.manifest.name], {
    cwd: folder,
    env: cleanEnv(home),
  });
}

/** Checks and packs the example with the installed command line, and starts its desktop program. */
async function tryCli({ folder, home }: Installed, node: string): Promise<void> {
  const program = join(folder, 'node_modules/@svc/cli/bin/svc.js');
  const svc = (...args: string[]) =>
    runProgram(node, ['--disable-warning=ExperimentalWarning', program, ...args], {
      cwd: folder,
      env: cleanEnv(home),
    });
  await cp(join(ROOT, 'examples/hello-notes'), join(folder, 'hello-notes'), { recursive: true });
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules/@svc/cli/package.json'), 'utf8'));
  const printed = svc('--version').trim();
  if (printed !== version) throw new Error(`svc --version prints ${printed}, but the package is ${version}.`);
  svc('validate', 'hello-notes', '--json');
  svc('pack', 'hello-notes', '-o', 'hello.svc-app');
  svc('connect', 'codex', '--yes', '--folder', join(home, 'desktop'));
}

/** Additional tests by package. For every library, all entries are loaded. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  '@svc/validator': ['validator.mjs'],
  '@svc/runtime': ['runtime.mjs', 'main-process.cjs'],
};

/** Uses an installed package under one version of Node. @throws when anything fails */
export async function tryPackage(installed: Installed, node: string): Promise<void> {
  const { name, exports } = installed.target.manifest;
  if (name === '@svc/cli') return tryCli(installed, node);
  if (name === '@svc/store') return tryStore(installed, node);
  if (!exports) throw new Error(`${name} has neither exports nor a test here.`);
  for (const module of ['libraries.mjs', ...(MORE[name] ?? [])]) await use(installed, node, module);
}

/** Installs a version of Node from the npm package `node`. @returns the path of its program */
export async function installNode(version: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = { private: true, allowScripts: { node: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  runProgram('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: folder });
  return createRequire(join(folder, 'package.json')).resolve('node/bin/node');
}

/** Other programs that run JavaScript: the npm packages of their builds for this machine, and their arguments. */
const OTHERS = {
  '@oven/bun-linux-x64': { version: '1.4.5', file: 'bin/bun', args: [] },
  '@deno/linux-x64-glibc': { version: '2.9.6', file: 'deno', args: ['run', '-A'] },
} as const;

/** Installs Bun and Deno from npm. @returns how to run a file with each; none where npm has no build for this machine */
export async function installOthers(folder: string): Promise<{ program: string; args: readonly string[] }[]> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const names = Object.entries(OTHERS).map(([name, { version }]) => `${name}@${version}`);
  runProgram('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...names], { cwd: folder });
  return Promise.all(
    Object.entries(OTHERS).map(async ([name, { file, args }]) => {
      const program = join(folder, 'node_modules', name, file);
      await chmod(program, 0o755);
      return { program, args };
    }),
  );
}
