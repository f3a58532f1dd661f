import { Argument, type Command } from 'commander';
import type { CommandContext, CommandRecord, CommandRow } from './command-record.ts';
import { COMMANDS } from './commands/index.ts';
import { toOption } from './option.ts';

const helpText = ({ details, examples }: CommandRecord): string =>
  [...(details ? [details, ''] : []), 'Examples:', ...examples.map((line) => `  svc ${line}`)].join('\n');

/** Adds arguments, options, help and the action to a command. */
function configure(
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

/** The command that the command line names, if any; `svc help publish` names one too. */
function requestedCommand(args: readonly string[], commands: readonly CommandRow[]): CommandRow | undefined {
  const [first, second] = args.filter((word) => !word.startsWith('-'));
  const name = first === 'help' ? second : first;
  return commands.find((row) => row.name === name);
}

/**
 * Adds every command to the program. Only the requested one is loaded; the help shows the summaries of the others.
 * @param done called with the exit code of the command
 */
export async function addCommands(
  program: Command,
  args: readonly string[],
  context: CommandContext,
  done: (code: number) => void,
  commands: readonly CommandRow[] = COMMANDS,
): Promise<void> {
  const requested = requestedCommand(args, commands);
  for (const row of commands) {
    const command = program.command(row.name).description(row.summary);
    if (row !== requested) continue;
    const { command: record } = await row.load();
    configure(command, record, async (words, options) =>
      done(await record.run(context, words, options, commands)),
    );
  }
}
