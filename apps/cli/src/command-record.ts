import type { CommandContext } from './command-context.ts';

/** An option of a command. */
export type OptionRecord = {
  /** As commander reads it: `-o, --output <file>`, `--json`, `--no-browser`. */
  flags: string;
  help: string;
  /** The only values that it takes. */
  choices?: readonly string[];
  default?: string;
  required?: boolean;
};

/** All there is to know about a command; help, completion and the list in the README are made from it. */
export type CommandRecord = {
  /** In order; a name as commander reads it: `<path...>` is required and repeats, `[dir]` may be missing. */
  arguments?: readonly { name: string; help: string; choices?: readonly string[] }[];
  options?: readonly OptionRecord[];
  /** A paragraph for the help of the command: what its users must know beyond the summary. */
  details?: string;
  /** Command lines that work as they are, without `svc`. */
  examples: readonly string[];
  /** The words after the name go to another program as they are; it has its own options. */
  forwards?: boolean;
  /**
   * Returns the exit code: 0 done, 1 failed, 2 wrong use.
   * @param commands all there are, for a command that is about them
   */
  run(
    context: CommandContext,
    args: readonly unknown[],
    options: unknown,
    commands: readonly CommandRow[],
  ): Promise<number>;
};

/** A command in the list: its file is loaded when it runs, so that no command slows down the others. */
export type CommandRow = {
  name: string;
  summary: string;
  load(): Promise<{ command: CommandRecord }>;
};

/** Declares a command whose arguments and options have the given types once commander has read them. */
export const defineCommand = <Args extends readonly unknown[], Options>(
  record: Omit<CommandRecord, 'run'> & {
    run(
      context: CommandContext,
      args: Args,
      options: Options,
      commands: readonly CommandRow[],
    ): Promise<number>;
  },
): CommandRecord => record as unknown as CommandRecord;

/** Which store: every command that talks to one has it. */
export const STORE_OPTION: OptionRecord = {
  flags: '--store <url>',
  help: 'address of the store (or SVC_STORE; this machine when neither is given)',
};

/** One line of JSON instead of text. */
export const JSON_OPTION: OptionRecord = { flags: '--json', help: 'one line of JSON on standard output' };
