import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultSystem } from '@svc/runtime';
import { type CommandModule, UsageError, type World } from './commands/command.ts';

const EXIT_WRONG_USE = 2;

/** What the first word on the command line may be. Each is loaded when it runs, so that none slows down the others. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  desktop: () => import('./commands/desktop.ts'),
  dev: () => import('./commands/dev.ts'),
  gateway: () => import('./commands/gateway.ts'),
  connect: () => import('./commands/connect.ts'),
};

const HELP = ['--help', '-h'];

/** Says how a command is used, or all of them when none is named. */
async function help(names: readonly string[]): Promise<number> {
  for (const name of names) {
    const { usage } = (await COMMANDS[name]?.()) ?? {};
    if (usage !== undefined) line(process.stdout)(usage);
  }
  return 0;
}

const line = (stream: NodeJS.WritableStream) => (text: string) => void stream.write(`${text}\n`);

/** Aborted by the first signal to end. A second one ends the program at once, as it does without us. */
function stopSignal(): AbortSignal {
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopped.abort());
  return stopped.signal;
}

async function run([name = '', ...words]: readonly string[]): Promise<number> {
  if (HELP.includes(name)) return help(Object.keys(COMMANDS));
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) throw new UsageError(`Say what to do: ${Object.keys(COMMANDS).join(', ')}.`);
  if (words.some((word) => HELP.includes(word))) return help([name]);
  const { env, platform, arch, stdin, stdout } = process;
  const world: World = {
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
  return (await load()).run(world, words);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof UsageError;
  line(process.stderr)(isExpected ? error.message : String((error as Error).stack ?? error));
  process.exitCode = isExpected ? EXIT_WRONG_USE : 1;
}
