import type { CommandRow } from '../command-record.ts';
import { type Flag, flagOf } from '../option.ts';

/** The completions after the name of a command. */
export type Completions = {
  name: string;
  summary: string;
  flags: readonly Flag[];
  /** Values of the first argument; empty when any value is allowed. */
  words: readonly string[];
  /** Whether its arguments complete to files. */
  takesFiles: boolean;
};

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

export const completionTable = (commands: readonly CommandRow[]): Promise<Completions[]> =>
  Promise.all(commands.map(completionsOf));
