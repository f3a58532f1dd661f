import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { hiddenIn } from '@svc/text';
import type { LocalCommand } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** What a command may hold: a card shows all of it. */
const MAX_ARGUMENTS = 100;
const MAX_CHARACTERS = 8_000;
const MAX_VARIABLES = 50;

/** A program to be added as a connector, as a user writes it down. */
export type CommandRequest = {
  /** Its full path, or a name that is looked up in `PATH` once, now. */
  command: string;
  args?: readonly string[] | undefined;
  /** The full path of the folder that it starts in; the user's home, when left out. */
  folder?: string | undefined;
  /** Names of environment variables of this client that it gets beside the usual ones. */
  variables?: readonly string[] | undefined;
  /** What the connector is called; the name of the program, when left out. */
  name?: string | undefined;
};

/** The system that programs run on. */
export type CommandEnvironment = {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
};

const refuse = (message: string): RuntimeError => new RuntimeError('command-refused', message);

/** What a card shows must be what runs: a text with characters that cannot be seen is refused. */
function requirePlain(what: string, text: string): void {
  if (text.length > MAX_CHARACTERS) throw refuse(`${what} is too long.`);
  if (hiddenIn(text)) throw refuse(`${what} has characters that cannot be seen, or line breaks.`);
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

async function mayRun(file: string): Promise<boolean> {
  if (!(await isFile(file))) return false;
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Where a name may be found, in the order of the system. Entries of `PATH` that are no full paths depend on a folder: they are left out. */
function candidatesOf(command: string, { env, platform }: CommandEnvironment): string[] {
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];
  const folders = path.isAbsolute(command)
    ? ['']
    : (env.PATH ?? '').split(path.delimiter).filter((one) => path.isAbsolute(one));
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, `${command}${ending}`)));
}

/** The full path of a program. @throws RuntimeError `command-refused` */
async function findProgram(command: string, environment: CommandEnvironment): Promise<string> {
  if (!path.isAbsolute(command) && /[/\\]/.test(command)) {
    throw refuse('A program is named by its full path, or by a name that is in PATH.');
  }
  for (const candidate of candidatesOf(command, environment)) if (await mayRun(candidate)) return candidate;
  throw refuse('There is no program of this name that may be run.');
}

function requireVariables(names: readonly string[], { env }: CommandEnvironment): string[] {
  if (names.length > MAX_VARIABLES) throw refuse('Too many environment variables are named.');
  for (const name of names) {
    if (!/^[A-Za-z_]\w{0,99}$/.test(name)) throw refuse('An environment variable has no valid name.');
    if (env[name] === undefined) {
      throw refuse(
        `The environment variable ${name} is not set where this client runs: set it, and start the client again.`,
      );
    }
  }
  return [...new Set(names)].sort();
}

/**
 * Reads a command as a user writes it down, and finds out what exactly would run.
 * @throws RuntimeError `command-refused`
 */
export async function resolveCommand(
  { command, args = [], folder, variables = [] }: CommandRequest,
  environment: CommandEnvironment,
): Promise<LocalCommand> {
  if (command === '') throw refuse('There is no program.');
  if (args.length > MAX_ARGUMENTS) throw refuse(`A program gets at most ${MAX_ARGUMENTS} arguments.`);
  const workingFolder = folder ?? environment.home;
  requirePlain('The program', command);
  for (const [index, argument] of args.entries()) requirePlain(`Argument ${index + 1}`, argument);
  requirePlain('The folder', workingFolder);
  if (args.join('').length > MAX_CHARACTERS) throw refuse('The arguments are too long.');
  if (!path.isAbsolute(workingFolder)) throw refuse('The folder is named by its full path.');
  if (!(await isFolder(workingFolder))) throw refuse('There is no such folder.');
  const program = await findProgram(command, environment);
  requirePlain('The path of the program', program);
  return {
    program,
    args: [...args],
    folder: workingFolder,
    variables: requireVariables(variables, environment),
  };
}
