import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { guarded } from '@svc/contracts/guarded';
import { enableNetwork, hasMachineSettings, machineFile } from '@svc/runtime/env-proxy';
import { systemKeyring } from '@svc/runtime/keyring';
import { pageOpener, removePages } from '@svc/runtime/page-opener';
import { Command, CommanderError } from 'commander';
import { addCommands } from './command-line.ts';
import type { CommandContext } from './command-record.ts';
import { configFolder } from './io/credentials.ts';
import { servingStore } from './io/store-settings.ts';
import { cleanTerminal, terminalOf } from './io/terminal.ts';
import { versionOf } from './version.ts';

const EXIT_USAGE_ERROR = 2;

/** Exit code 2 for `svc` without a command and for invalid arguments; 0 for requested help and version. */
const codeOf = ({ exitCode }: CommanderError): number => (exitCode === 0 ? 0 : EXIT_USAGE_ERROR);

/**
 * Runs one command line.
 * @param args the arguments after `svc`
 * @returns the exit code: 0 success, 1 failure, 2 usage error, 130 interrupted by Ctrl-C
 */
export async function svc(args: readonly string[], context: CommandContext): Promise<number> {
  const terminal = cleanTerminal(context.terminal, context.env.SVC_TOKEN);
  const inner = { ...context, terminal };
  let exitCode = 0;
  const program = new Command('svc')
    .description('Create, check, pack, publish and verify apps.')
    .version(versionOf())
    .showHelpAfterError('Run svc --help for a list of commands, or svc COMMAND --help for its options.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  try {
    await addCommands(program, args, inner, (code) => {
      exitCode = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return codeOf(error);
    const { reportFailure } = await import('./present/failure.ts');
    return reportFailure(terminal, error, Boolean(context.env.SVC_TOKEN));
  }
}

/** A signal that the first Ctrl-C aborts. A second Ctrl-C ends the program as usual. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

/** Waits in real time. */
const wait: CommandContext['wait'] = (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {});

/** The interactive parts of the context, when input and output are terminals. */
function atTerminal(): Pick<CommandContext, 'dialogue' | 'openPage'> {
  const { platform, env, stdin, stdout } = process;
  const place = { platform, env, folder: configFolder(env) };
  // A command that opens a page waits until it is used.
  process.once(
    'exit',
    guarded(() => removePages(place)),
  );
  return { dialogue: { input: stdin, output: stdout }, openPage: pageOpener(place) };
}

/** The store that the operator of this machine set for its users, and its key. @throws TypeError */
async function companyOf(env: NodeJS.ProcessEnv): Promise<{ store: string | null; pin?: string }> {
  const { platform } = process;
  const file = machineFile(platform, env);
  if (!hasMachineSettings(platform, file)) return { store: null };
  const { managedOptions } = await import('@svc/runtime/machine-settings');
  return managedOptions(file, platform);
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  // A reader such as `head` closes the pipe early, which is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  // Errors and notes that cannot be written do not end a command.
  stderr.on('error', () => {});
  const context: CommandContext = {
    terminal: terminalOf(stdout, stderr, env),
    env,
    cwd: process.cwd(),
    fetch: globalThis.fetch,
    now: () => new Date(),
    wait,
    hostname: hostname(),
    keyring: systemKeyring(env),
    interrupted,
    ...(stdin.isTTY && stdout.isTTY && atTerminal()),
  };
  try {
    await enableNetwork(env);
    const { store, pin } = await companyOf(env);
    if (store !== null && pin !== undefined) context.company = { store, publicKeyPem: pin };
    // Set in the environment, so that the desktop process inherits it.
    const own = store ?? servingStore();
    if (own !== undefined) env.SVC_STORE ||= own;
  } catch (error) {
    context.terminal.err(`svc: ${(error as Error).message}\n`);
    process.exitCode = EXIT_USAGE_ERROR;
    return;
  }
  // Not process.exit: it would lose output that is not yet written to a pipe.
  process.exitCode = await svc(argv.slice(2), context);
}
