import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { guarded } from '@svc/contracts/guarded';
import { defaultSystem } from '@svc/runtime/default-system';
import { type CommandContext, type CommandModule, UsageError } from './commands/command.ts';

const EXIT_USAGE = 2;

/** The commands. Each is loaded when it runs, to keep the start fast. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  desktop: () => import('./commands/desktop.ts'),
  dev: () => import('./commands/dev.ts'),
  gateway: () => import('./commands/gateway.ts'),
  connect: () => import('./commands/connect.ts'),
  install: () => import('./commands/install.ts'),
  links: () => import('./commands/links.ts'),
  updates: () => import('./commands/updates.ts'),
};

const HELP = ['--help', '-h'];

/** Prints the usage of commands. */
async function help(names: readonly string[]): Promise<number> {
  for (const name of names) {
    const { usage } = (await COMMANDS[name]?.()) ?? {};
    if (usage !== undefined) line(process.stdout)(usage);
  }
  return 0;
}

const line = (stream: NodeJS.WritableStream) => (text: string) => void stream.write(`${text}\n`);

/** How long the program may take to close after an error that no code caught, in milliseconds. */
const CLOSING_MS = 10_000;

const textOf = (error: unknown): string => String((error as Error)?.stack ?? error);

/** Aborted by the first termination signal, or an error that no code caught. A second signal ends the program immediately. */
function stopSignal(): AbortSignal {
  const stopped = new AbortController();
  const stop = guarded(() => stopped.abort());
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stop);
  let uncaught = 0;
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      uncaught += 1;
      line(process.stderr)(`desktop: ${event} ${uncaught}, closing: ${textOf(error)}`);
      if (uncaught > 1) return;
      process.exitCode = 1;
      setTimeout(() => process.exit(1), CLOSING_MS).unref();
      stop();
    });
  }
  return stopped.signal;
}

async function run([name = '', ...words]: readonly string[]): Promise<number> {
  if (HELP.includes(name)) return help(Object.keys(COMMANDS));
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) throw new UsageError(`Unknown command. Commands: ${Object.keys(COMMANDS).join(', ')}.`);
  if (words.some((word) => HELP.includes(word))) return help([name]);
  const { env, platform, arch, stdin, stdout } = process;
  const context: CommandContext = {
    program: [process.execPath, fileURLToPath(import.meta.url)],
    ...{ input: stdin, output: stdout, isTerminal: stdin.isTTY && stdout.isTTY },
    ...{ env, platform, arch, fetch },
    home: env.HOME || homedir(),
    cwd: process.cwd(),
    system: defaultSystem,
    say: line(process.stdout),
    warn: line(process.stderr),
    stopped: stopSignal(),
  };
  // The gateway speaks to the desktop of this machine alone, and agents wait for its start.
  if (name !== 'gateway') {
    const { enableNetwork } = await import('@svc/runtime/env-proxy');
    await enableNetwork(env).catch((error: Error) => {
      throw new UsageError(error.message);
    });
  }
  return (await load()).run(context, words);
}

// A terminal that was closed ends no desktop, and no calls under way in it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  const code = await run(process.argv.slice(2));
  process.exitCode ||= code;
  // The agent of a gateway is gone, and waits for its end: nothing that is still open keeps it.
  if (process.argv[2] === 'gateway') process.exit();
} catch (error) {
  const { PrivateFolderError } = await import('@svc/runtime/parts');
  const isUsage = error instanceof UsageError || error instanceof PrivateFolderError;
  const expected = isUsage ? error : (await import('@svc/runtime')).asRefusal(error);
  const { message } = error as Error;
  // Errors of the disk name the file.
  const text = expected?.message === message ? message : `${expected?.message} (${message})`;
  line(process.stderr)(expected ? text : textOf(error));
  process.exitCode = isUsage ? EXIT_USAGE : 1;
}
