import type { CommandRow } from '../command-record.ts';
import { type Flag, flagOf } from '../option.ts';

/** What can follow the name of a command. */
export type Completions = {
  name: string;
  summary: string;
  flags: readonly Flag[];
  /** Values of the first argument; empty where it is free. */
  words: readonly string[];
  /** Whether files complete its arguments. */
  takesFiles: boolean;
};

/** Names of arguments that are paths. */
const PATH_ARGUMENT = /^[<[](?:path|dir|target)/;

async function completionsOf({ name, summary, load }: CommandRow): Promise<Completions> {
  const { command } = await load();
  const [first] = command.arguments ?? [];
  return {
    name,
    summary,
    flags: command.forwards ? [] : (command.options ?? []).map(flagOf),
    words: first?.choices ?? [],
    takesFiles: command.forwards === true || PATH_ARGUMENT.test(first?.name ?? ''),
  };
}

/** Everything that can be completed, from the table of commands. */
export const completionTable = (commands: readonly CommandRow[]): Promise<Completions[]> =>
  Promise.all(commands.map(completionsOf));
