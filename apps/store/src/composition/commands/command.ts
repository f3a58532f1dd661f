import type { ParseArgsOptionsConfig } from 'node:util';
import type { System } from '../open-data.ts';
import type { Settings } from '../settings.ts';

/** The arguments of a command: its operands in order, and its options by name. */
export type CommandArgs = { operands: readonly string[]; options: Readonly<Record<string, unknown>> };

/** A command of `svc-store`, other than running the store. */
export type Command = {
  /** The words after `svc-store`, such as `keys rotate`. */
  name: string;
  /** The required operands in order, by their names in the help. */
  operands: readonly string[];
  /** The optional operands, after the required ones. */
  optional?: readonly string[];
  /** The options, as `parseArgs` of `node:util` declares them. */
  options: ParseArgsOptionsConfig;
  /** The line in the help. */
  summary: string;
  /**
   * Runs the command.
   * @returns the line that reports to the operator what was done, or the output to print
   * @throws SettingError for wrong usage, CommandError when the command fails
   */
  run(args: CommandArgs, settings: Settings, system: System): Promise<string | { print: string }>;
};

/** A command that failed. The message is the one line that the operator reads. */
export class CommandError extends Error {}
