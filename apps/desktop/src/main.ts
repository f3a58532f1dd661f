import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultSystem } from '@svc/runtime';
import { type CommandContext, type CommandModule, UsageError } from './commands/command.ts';

const EXIT_USAGE = 2;

/** The commands. Each is loaded when it runs, to keep the start fast. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  desktop: () => import('./commands/desktop.ts'),
  dev: () => import('./commands/dev.ts'),
  gateway: () => import('./commands/gateway.ts'),
  connect: () => import('./commands/connect.ts'),
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

/** Aborted by the first termination signal. A second one ends the program immediately. */
function stopSignal(): AbortSignal {
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopped.abort());
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
  return (await load()).run(context, words);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof UsageError;
  line(process.stderr)(isExpected ? error.message : String((error as Error).stack ?? error));
  process.exitCode = isExpected ? EXIT_USAGE : 1;
}
