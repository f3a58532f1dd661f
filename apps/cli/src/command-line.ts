import { Argument, type Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { CommandRecord, CommandRow } from './command-record.ts';
import { COMMANDS } from './commands/index.ts';
import { toOption } from './option.ts';

const helpText = ({ details, examples }: CommandRecord): string =>
  [...(details ? [details, ''] : []), 'Examples:', ...examples.map((line) => `  svc ${line}`)].join('\n');

/** Gives a command of the program its arguments, options, help and what it does. */
function fill(
  command: Command,
  record: CommandRecord,
  run: (args: readonly unknown[], options: unknown) => Promise<void>,
): void {
  for (const { name, help, choices } of record.arguments ?? []) {
    const argument = new Argument(name, help);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of record.options ?? []) command.addOption(toOption(option));
  if (record.forwards) command.allowUnknownOption().helpOption(false).passThroughOptions();
  else command.addHelpText('after', `\n${helpText(record)}`);
  command.action(async (...words: unknown[]) => {
    const args = words.slice(0, record.arguments?.length ?? 0);
    await run(args, command.opts());
  });
}

/** The command that a command line names, if any: `svc help publish` asks for one too. */
function namedBy(args: readonly string[], commands: readonly CommandRow[]): CommandRow | undefined {
  const [first, second] = args.filter((word) => !word.startsWith('-'));
  const name = first === 'help' ? second : first;
  return commands.find((row) => row.name === name);
}

/**
 * Adds every command to the program. Only the one that the command line names is loaded; of the others the help shows
 * the summary.
 * @param done told the exit code of the command
 */
export async function addCommands(
  program: Command,
  args: readonly string[],
  context: CommandContext,
  done: (code: number) => void,
  commands: readonly CommandRow[] = COMMANDS,
): Promise<void> {
  const named = namedBy(args, commands);
  for (const row of commands) {
    const command = program.command(row.name).description(row.summary);
    if (row !== named) continue;
    const { command: record } = await row.load();
    fill(command, record, async (words, options) =>
      done(await record.run(context, words, options, commands)),
    );
  }
}
