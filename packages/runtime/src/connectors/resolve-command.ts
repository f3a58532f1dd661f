import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { hiddenIn } from '@svc/text';
import type { LocalCommand } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Limits of a command: a card shows all of it. */
const MAX_ARGUMENTS = 100;
const MAX_CHARACTERS = 8_000;
const MAX_VARIABLES = 50;

/** A program to be added as a connector, as the user enters it. */
export type CommandRequest = {
  /** Its full path, or a name that is looked up in `PATH` once, now. */
  command: string;
  args?: readonly string[] | undefined;
  /** The full path of its working directory. Default: the user's home. */
  folder?: string | undefined;
  /** Names of environment variables of this client that it gets in addition to the usual ones. */
  variables?: readonly string[] | undefined;
  /** The name of the connector. Default: the name of the program. */
  name?: string | undefined;
};

/** The system that programs run on. */
export type CommandEnvironment = {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
};

const refuse = (message: string): RuntimeError => new RuntimeError('command-refused', message);

/** What the card shows must be what runs: text with invisible characters is refused. */
function requirePlain(label: string, text: string): void {
  if (text.length > MAX_CHARACTERS) throw refuse(`${label} is too long.`);
  if (hiddenIn(text)) throw refuse(`${label} has characters that cannot be seen, or line breaks.`);
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

/** The paths where a program may be, in the order of the system. Relative entries of `PATH` depend on the current folder, and are ignored. */
function candidatesOf(command: string, { env, platform }: CommandEnvironment): string[] {
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];
  const folders = path.isAbsolute(command)
    ? ['']
    : (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, `${command}${ending}`)));
}

/** The full path of a program. @throws RuntimeError `command-refused` */
async function findProgram(command: string, environment: CommandEnvironment): Promise<string> {
  if (!path.isAbsolute(command) && /[/\\]/.test(command)) {
    throw refuse('Enter the full path of the program, or a name that is in PATH.');
  }
  for (const candidate of candidatesOf(command, environment)) if (await mayRun(candidate)) return candidate;
  throw refuse('No executable program has this name.');
}

function requireVariables(names: readonly string[], { env }: CommandEnvironment): string[] {
  if (names.length > MAX_VARIABLES) throw refuse('There are too many environment variables.');
  for (const name of names) {
    if (!/^[A-Za-z_]\w{0,99}$/.test(name)) throw refuse('The name of an environment variable is not valid.');
    if (env[name] === undefined) {
      throw refuse(
        `The environment variable ${name} is not set where this client runs: set it, and start the client again.`,
      );
    }
  }
  return [...new Set(names)].sort();
}

/**
 * Parses a command as the user enters it, and resolves it to exactly what would run.
 * @throws RuntimeError `command-refused`
 */
export async function resolveCommand(
  { command, args = [], folder, variables = [] }: CommandRequest,
  environment: CommandEnvironment,
): Promise<LocalCommand> {
  if (command === '') throw refuse('The program is missing.');
  if (args.length > MAX_ARGUMENTS) throw refuse(`A program gets at most ${MAX_ARGUMENTS} arguments.`);
  const workingFolder = folder ?? environment.home;
  requirePlain('The program', command);
  for (const [index, argument] of args.entries()) requirePlain(`Argument ${index + 1}`, argument);
  requirePlain('The folder', workingFolder);
  if (args.join('').length > MAX_CHARACTERS) throw refuse('The arguments are too long.');
  if (!path.isAbsolute(workingFolder)) throw refuse('Enter the full path of the folder.');
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
