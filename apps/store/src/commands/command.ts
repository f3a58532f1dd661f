import type { ParseArgsOptionsConfig } from 'node:util';
import type { System } from '../open-store.ts';
import type { Settings } from '../settings.ts';

/** What followed the words of a command: what it was given, in order, and its options by their names. */
export type Given = { operands: readonly string[]; options: Readonly<Record<string, unknown>> };

/** Something that `svc-store` does besides being a store. */
export type Command = {
  /** The words that call it, such as `keys rotate`. */
  name: string;
  /** What must follow, in order, by the names that the help gives it. */
  operands: readonly string[];
  /** What may follow those. */
  optional?: readonly string[];
  /** What may follow, as `node:util` parses it. */
  options: ParseArgsOptionsConfig;
  /** One line for the help. */
  summary: string;
  /**
   * Does it.
   * @returns the line that tells the operator what was done, or what was asked for, to print
   * @throws SettingError when it was asked for wrongly, CommandError when it could not be done
   */
  run(given: Given, settings: Settings, ambient: System): Promise<string | { print: string }>;
};

/** A command that could not be done. The message is the one line that the operator reads. */
export class CommandError extends Error {}
