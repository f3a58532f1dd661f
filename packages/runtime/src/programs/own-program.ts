import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Whether this process is a single executable application. Bun and Deno do not have the module of Node that says it. */
const isSingleExecutable = (): boolean =>
  (process.getBuiltinModule('node:sea') as { isSea(): boolean } | undefined)?.isSea() === true;

/** The programs that the runtime starts in processes of their own; each is a file of this folder. */
export const OWN_PROGRAMS = ['media-process', 'keyring-process', 'supervise'] as const;

export type OwnProgram = (typeof OWN_PROGRAMS)[number];

/** What runs in a thread for storage in a database. A client with its state in a folder does not need them. */
type StorageProgram = 'storage-thread' | 'postgres-store';

/** Where the programs of the runtime are, for a client that is bundled into other files. */
export type Programs = {
  /** The folder of `media-process.js`, `keyring-process.js` and `supervise.js`. Default: next to the code of the runtime. */
  folder?: string | undefined;
  /** The program that runs them: Node, or Electron. Default: that of this process. */
  node?: string | undefined;
};

/** The folder of this file. A bundle in the form of CommonJS has no `import.meta.url`. */
function ownFolder(): string | undefined {
  const url: string | undefined = import.meta.url;
  return url?.startsWith('file:') ? path.dirname(fileURLToPath(url)) : undefined;
}

/** TypeScript in the repository, JavaScript where it is installed or bundled. */
const ENDINGS = ['.ts', '.js', '.mjs', '.cjs'];

/** The folder beside an archive of Electron for what is not packed: another Node, and native modules, cannot read the archive. */
const unpacked = (folder: string): string => folder.replace(/\.asar(?=[\\/]|$)/, '.asar.unpacked');

const candidatesOf = (name: OwnProgram | StorageProgram, { folder = ownFolder() }: Programs): string[] =>
  folder === undefined
    ? []
    : [unpacked(folder), folder].flatMap((at) => ENDINGS.map((ending) => path.join(at, name + ending)));

/** The file of a program. @throws when there is none */
export function ownProgram(name: OwnProgram | StorageProgram, programs: Programs = {}): string {
  const file = candidatesOf(name, programs).find((candidate) => existsSync(candidate));
  if (file === undefined) throw notFound(name, programs);
  return file;
}

/** The file of a program of storage, and its URL. @throws when there is none */
export function storageProgram(name: StorageProgram, programs: Programs = {}): { file: string; url: string } {
  const file = ownProgram(name, programs);
  return { file, url: pathToFileURL(file).href };
}

const notFound = (name: OwnProgram | StorageProgram, { folder = ownFolder() }: Programs): TypeError =>
  new TypeError(
    `The program ${name}.js of @svc/runtime is not in ${folder ?? 'the folder of this bundle'}. Copy the folder src/programs of @svc/runtime next to the bundle, with the packages that it imports, or bundle its files as programs of their own, and name their folder in the option programs.folder of openRuntime.`,
  );

/**
 * Checks that the programs of the runtime can be started, so that a client that is bundled without them fails when it starts, and not
 * at the first file.
 * @throws TypeError that names the option to set
 */
export function requirePrograms(programs: Programs): void {
  for (const name of OWN_PROGRAMS) ownProgram(name, programs);
  // Such a program would start itself instead of Node.
  if (isSingleExecutable() && programs.node === undefined)
    throw new TypeError(
      'A single executable application cannot run the programs of @svc/runtime: name a Node program in the option programs.node of openRuntime.',
    );
}

/** How Node is started for a program. */
export const nodeOf = ({ node = process.execPath }: Programs): string => node;

/**
 * The environment of a program that needs none: what the system itself requires, and what makes Electron behave as Node. It has no
 * secret, no folder of the user and no option of Node.
 */
export function bareEnvironment(): Record<string, string> {
  const { SystemRoot, windir, NODE_COMPILE_CACHE } = process.env;
  const needed = { SystemRoot, windir, NODE_COMPILE_CACHE, TMPDIR: tmpdir(), TEMP: tmpdir(), TMP: tmpdir() };
  const electron = process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };
  return Object.fromEntries(
    Object.entries({ ...needed, ...electron }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
