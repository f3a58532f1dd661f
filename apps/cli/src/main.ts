import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { systemKeyring } from '@svc/runtime/keyring';
import { pageOpener } from '@svc/runtime/page-opener';
import { Command, CommanderError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addCommands } from './command-line.ts';
import { servingStore } from './io/serving-store.ts';
import { guarded, terminalOf } from './io/terminal.ts';
import { versionOf } from './version.ts';

const EXIT_WRONG_USE = 2;

/** A bare `svc` and every slip in the arguments are wrong use; help and version that were asked for are not. */
const codeOf = ({ exitCode }: CommanderError): number => (exitCode === 0 ? 0 : EXIT_WRONG_USE);

/**
 * Runs one command line.
 * @param args what follows `svc`
 * @returns the exit code: 0 done, 1 failed, 2 wrong use, 130 ended by Ctrl-C
 */
export async function svc(args: readonly string[], world: CommandContext): Promise<number> {
  const terminal = guarded(world.terminal, world.env.SVC_TOKEN);
  const inner = { ...world, terminal };
  let exitCode = 0;
  const program = new Command('svc')
    .description('Make, check, pack, publish and verify apps.')
    .version(versionOf())
    .showHelpAfterError('svc --help lists the commands, and svc COMMAND --help the options of one.')
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
    return reportFailure(terminal, error, Boolean(world.env.SVC_TOKEN));
  }
}

/** Aborted by Ctrl-C, which does nothing else from then on. A second one ends the program as usual. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

/** Passes the time of this process. */
const wait: CommandContext['wait'] = (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {});

/** What there is when a person sits at both ends. */
const atTerminal = (): Pick<CommandContext, 'dialogue' | 'openPage'> => ({
  dialogue: { input: process.stdin, output: process.stdout },
  openPage: pageOpener(process.platform, process.env),
});

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  // In the environment, so that the desktop, a program of its own, hears of it too.
  const own = servingStore();
  if (own !== undefined) env.SVC_STORE ||= own;
  // A reader that has seen enough, as `head` does, closes the pipe: nothing is wrong then.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const world: CommandContext = {
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
  // Not process.exit: what is still on its way into a pipe would be cut off.
  process.exitCode = await svc(argv.slice(2), world);
}
