import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { systemKeyring } from '@svc/runtime/keyring';
import { pageOpener } from '@svc/runtime/page-opener';
import { Command, CommanderError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { InfoOptions } from './commands/info.ts';
import type { InitOptions } from './commands/init.ts';
import type { LoginOptions } from './commands/login.ts';
import type { LogoutOptions } from './commands/logout.ts';
import type { PackOptions } from './commands/pack.ts';
import type { PublishOptions } from './commands/publish.ts';
import type { StatusOptions } from './commands/status.ts';
import type { ValidateOptions } from './commands/validate.ts';
import type { VerifyOptions } from './commands/verify.ts';
import type { WhoAmIOptions } from './commands/whoami.ts';
import type { YankOptions } from './commands/yank.ts';
import { servingStore } from './io/serving-store.ts';
import { guarded, terminalOf } from './io/terminal.ts';
import { versionOf } from './version.ts';

const EXIT_WRONG_USE = 2;

/** A bare `svc` and every slip in the arguments are wrong use; help and version that were asked for are not. */
const codeOf = ({ exitCode }: CommanderError): number => (exitCode === 0 ? 0 : EXIT_WRONG_USE);

const storeOption = () =>
  new Option('--store <url>', 'address of the store (or SVC_STORE; this machine when neither is given)');

/** Adds the commands that need no store. Each is loaded when it runs, so that none slows down the others. */
function addLocalCommands(program: Command, world: CommandContext, done: (code: number) => void): void {
  program
    .command('validate')
    .description('check folders, plugin.json files or bundles')
    .argument('<path...>', 'a folder, a plugin.json or a bundle')
    .addOption(new Option('--mode <mode>', 'what for').choices(['store', 'dev']).default('store'))
    .option('--json', 'one line of JSON for each path')
    .option('--sarif', 'one SARIF 2.1.0 document, as code scanning takes it')
    .option('--fix', 'fix in plugin.json what has one right answer')
    .option('--watch', 'check again after every change, until Ctrl-C')
    .action(async (paths: string[], options: ValidateOptions) => {
      const { validate } = await import('./commands/validate.ts');
      done(await validate(world, paths, options));
    });
  program
    .command('pack')
    .description('make a bundle of a folder')
    .argument('<dir>', 'the folder with plugin.json at its top')
    .option('-o, --output <file>', 'where to write (default: <id>-<version>.svc-app here)')
    .action(async (dir: string, options: PackOptions) => {
      const { pack } = await import('./commands/pack.ts');
      done(await pack(world, dir, options));
    });
  program
    .command('explain')
    .description('what a code of the checks means, and how to fix it')
    .argument('[code]', 'a code, such as version.format (default: a list of all)')
    .action(async (code: string | undefined) => {
      const { explain } = await import('./commands/explain.ts');
      done(await explain(world, code));
    });
}

/** Adds `init`, whose options are the answers to its questions. */
function addInit(program: Command, world: CommandContext, done: (code: number) => void): void {
  program
    .command('init')
    .description('make the folder of a new app')
    .argument('[dir]', 'the folder (default: the last part of the id)')
    .addOption(
      new Option('--template <template>', 'an app alone, or an app with an MCP server').choices([
        'app',
        'remote',
      ]),
    )
    .option('--name <name>', 'what the app is called')
    .option('--id <id>', 'its id, such as com.example.notes')
    .option('--publisher <slug>', 'who publishes it')
    .option('--description <text>', 'what it does')
    .option('--mcp-url <url>', 'where its MCP server answers')
    .option('--category <category>', 'shelf of the catalogue (default without questions: other)')
    .addOption(
      new Option('--account <kind>', 'the account it needs of its user').choices(['none', 'mcp', 'oauth']),
    )
    .option('--authorize-url <url>', 'for --account oauth: where users sign in')
    .option('--token-url <url>', 'for --account oauth: where codes are changed into tokens')
    .option('--client-id <id>', 'for --account oauth: the public client id')
    .option('--panel', 'with a panel of its own')
    .option('--no-panel', 'without')
    .option('-y, --yes', 'ask nothing')
    .addOption(storeOption())
    .action(async (dir: string | undefined, options: InitOptions) => {
      const { init } = await import('./commands/init.ts');
      done(await init(world, dir, options));
    });
}

/** Adds what is about the developer: to log in, to ask as whom, to log out. */
function addAccountCommands(program: Command, world: CommandContext, done: (code: number) => void): void {
  program
    .command('login')
    .description('get a token for a store, by approving in a browser')
    .addOption(storeOption())
    .option('--publisher <slug>', 'the only publisher that the token shall act for')
    .option(
      '--scope <scope...>',
      'what it shall be able to do: publish:new, publish:update, yank, status, read',
    )
    .option('--no-browser', 'do not open the page')
    .action(async (options: LoginOptions) => {
      const { login } = await import('./commands/login.ts');
      done(await login(world, options));
    });
  program
    .command('whoami')
    .description('whom the store takes your token for')
    .addOption(storeOption())
    .option('--json', 'the record as the store sends it')
    .action(async (options: WhoAmIOptions) => {
      const { whoami } = await import('./commands/whoami.ts');
      done(await whoami(world, options));
    });
  program
    .command('logout')
    .description('revoke the token that login has kept, and forget it')
    .addOption(storeOption())
    .option('--all', 'those for all stores')
    .option('--local', 'forget without revoking')
    .action(async (options: LogoutOptions) => {
      const { logout } = await import('./commands/logout.ts');
      done(await logout(world, options));
    });
}

/** Adds what a developer does with versions: publish, follow, withdraw. */
function addDeveloperCommands(program: Command, world: CommandContext, done: (code: number) => void): void {
  program
    .command('publish')
    .description('check an app and upload it')
    .argument('<path>', 'a folder or a bundle')
    .addOption(storeOption())
    .action(async (path: string, options: PublishOptions) => {
      const { publish } = await import('./commands/publish.ts');
      done(await publish(world, path, options));
    });
  program
    .command('status')
    .description('how an uploaded version fares')
    .argument('<app>', 'id of the app')
    .argument('<version>')
    .addOption(storeOption())
    .option('--json', 'the record as the store sends it')
    .action(async (appId: string, version: string, options: StatusOptions) => {
      const { status } = await import('./commands/status.ts');
      done(await status(world, { appId, version }, options));
    });
  program
    .command('yank')
    .description('withdraw a published version')
    .argument('<app>', 'id of the app')
    .argument('<version>')
    .requiredOption('--reason <text>', 'why; users of the app read it')
    .addOption(storeOption())
    .option('--json', 'the record as the store sends it')
    .action(async (appId: string, version: string, options: YankOptions) => {
      const { yank } = await import('./commands/yank.ts');
      done(await yank(world, { appId, version }, options));
    });
}

/** Adds what anybody may ask about published apps. */
function addReaderCommands(program: Command, world: CommandContext, done: (code: number) => void): void {
  program
    .command('verify')
    .description('prove that a bundle is what the store signed')
    .argument('<target>', 'a bundle file, or APP@VERSION')
    .option('--key <pem-file>', 'public key to trust, in place of the one pinned for the store')
    .addOption(storeOption())
    .action(async (target: string, options: VerifyOptions) => {
      const { verify } = await import('./commands/verify.ts');
      done(await verify(world, target, options));
    });
  program
    .command('info')
    .description('show a published app')
    .argument('<app>', 'id of the app')
    .addOption(storeOption())
    .option('--json', 'the record as the store sends it')
    .action(async (appId: string, options: InfoOptions) => {
      const { info } = await import('./commands/info.ts');
      done(await info(world, appId, options));
    });
}

/** What the program of the desktop does: its options are its own to read. */
const DESKTOP_COMMANDS = {
  desktop: 'open the desktop client, or the page of the one that runs',
  dev: 'run the folder of an app in a desktop of its own, with live findings and a log of calls',
  gateway: 'hand the tools of installed apps to the coding agent that starts this',
  connect: 'write the gateway into the configuration of a coding agent, or take it out with --remove',
};

function addDesktopCommands(program: Command, done: (code: number) => void): void {
  for (const [name, description] of Object.entries(DESKTOP_COMMANDS)) {
    program
      .command(name)
      .description(description)
      .argument('[words...]', 'as the desktop takes them; it says how when they are wrong')
      .allowUnknownOption()
      .helpOption(false)
      .passThroughOptions()
      .action(async (words: string[]) => {
        const { runDesktop } = await import('./io/desktop-program.ts');
        done(await runDesktop([name, ...words]));
      });
  }
}

/**
 * Runs one command line.
 * @param args what follows `svc`
 * @returns the exit code: 0 done, 1 it did not come true, 2 wrong use
 */
export async function svc(args: readonly string[], world: CommandContext): Promise<number> {
  const terminal = guarded(world.terminal, world.env.SVC_TOKEN);
  const inner = { ...world, terminal };
  let exitCode = 0;
  const done = (code: number) => {
    exitCode = code;
  };
  const program = new Command('svc')
    .description('Make, check, pack, publish and verify apps.')
    .version(versionOf())
    .showHelpAfterError('svc --help lists what there is.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  addInit(program, inner, done);
  addLocalCommands(program, inner, done);
  addAccountCommands(program, inner, done);
  addDeveloperCommands(program, inner, done);
  addReaderCommands(program, inner, done);
  addDesktopCommands(program, done);
  try {
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
