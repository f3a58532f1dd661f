import { Option } from 'commander';
import type { OptionRecord } from './command-record.ts';

/** Converts an option for commander. */
export const toOption = ({ flags, help, choices, default: value, required }: OptionRecord): Option => {
  const option = new Option(flags, help);
  if (choices) option.choices(choices);
  if (value !== undefined) option.default(value);
  return option.makeOptionMandatory(required ?? false);
};

/** An option for completion. */
export type Flag = { names: string[]; help: string; choices: readonly string[]; takesValue: boolean };

/** Reads the flags of an option as commander does. */
export function flagOf(record: OptionRecord): Flag {
  const { short, long, required, optional } = toOption(record);
  return {
    names: [short, long].filter((name) => name !== undefined),
    help: record.help,
    choices: record.choices ?? [],
    takesValue: required || optional,
  };
}
