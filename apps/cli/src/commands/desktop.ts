import { type CommandRecord, defineCommand } from '../command-record.ts';
import { usageError } from '../failure.ts';
import { desktopProgram, runDesktop } from '../io/desktop-program.ts';

/** A command of the desktop program, which parses the options. */
const forwarded = (name: string, examples: readonly string[]): CommandRecord =>
  defineCommand<[string[]], unknown>({
    arguments: [
      { name: '[arguments...]', help: 'passed to the desktop program, which prints its own usage' },
    ],
    examples,
    forwards: true,
    run: (_context, [words]) => runDesktop([name, ...words]),
  });

export const desktop = forwarded('desktop', ['desktop', 'desktop --no-open --port 8790']);
export const links = forwarded('links', ['links on', 'links off']);
export const install = forwarded('install', ['install com.example.notes --store https://store.example.com']);
export const updates = forwarded('updates', ['updates', 'updates accept com.example.notes']);
export const dev = forwarded('dev', ['dev app']);
export const gateway = forwarded('gateway', ['gateway --project notes']);

/** The cache folder of npx; npm may empty it at any time. */
const NPX_CACHE = /[\\/]_npx[\\/]/;

const connectDesktop = forwarded('connect', ['connect claude-code', 'connect codex --remove']);

/**
 * Writes the path of this program into the configuration of an agent, so the program must stay installed.
 * @throws CommandError with exit code 2 when npx runs this program from its cache
 */
export const connect: CommandRecord = {
  ...connectDesktop,
  run: async (context, args, ...rest) => {
    const [words] = args as [string[]];
    const isTemporary = NPX_CACHE.test(context.programFile ?? desktopProgram());
    if (isTemporary && !words.includes('--remove') && !words.includes('--http')) {
      const source = context.env.SVC_STORE ? `${context.env.SVC_STORE}/cli.tgz` : 'the cli.tgz of your store';
      throw usageError(
        `npx runs svc from its cache, which npm may delete, so an agent could not start it later. Install svc first: npm install --global ${source}, then svc connect ${words.join(' ')}`,
      );
    }
    return connectDesktop.run(context, args, ...rest);
  },
};
