import type { Readable, Writable } from 'node:stream';
import type { Keyring } from '@svc/runtime/keyring';
import type { listServedTools } from '@svc/runtime/served-tools';
import type { Terminal } from './io/terminal.ts';

/** Everything outside a command that it uses; tests pass their own. */
export type CommandContext = {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  /** Current folder: relative paths are resolved against it. */
  cwd: string;
  fetch: typeof globalThis.fetch;
  /** Lists the tools of MCP servers; tests pass their own. */
  listTools?: typeof listServedTools;
  now(): Date;
  /** Resolves after `ms` milliseconds, or when the signal is aborted; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Host name of this machine. */
  hostname: string;
  /** Path of the desktop program, when it is not the default one. */
  programFile?: string;
  /** The store of this machine and its key as PEM, which its operator set; undefined without them. */
  company?: { store: string; publicKeyPem: string } | undefined;
  /** The system keyring. */
  keyring: Keyring;
  /**
   * The signal that Ctrl-C aborts. From the first call on, Ctrl-C no longer ends the program, so only commands that stop on
   * the signal call this.
   */
  interrupted(): AbortSignal;
  /** Streams for interactive prompts; undefined unless input and output are both terminals. */
  dialogue?: { input: Readable; output: Writable } | undefined;
  /**
   * Opens an http or https address in the user's browser; false when no browser could be started. Undefined without a
   * terminal.
   */
  openPage?: ((address: string) => Promise<boolean>) | undefined;
};

export type OptionRecord = {
  /** As commander reads it: `-o, --output <file>`, `--json`, `--no-browser`. */
  flags: string;
  help: string;
  /** Its allowed values. */
  choices?: readonly string[];
  default?: string;
  required?: boolean;
};

/** The definition of a command; help, completion and the table in the README are generated from it. */
export type CommandRecord = {
  /** In order, named in commander's syntax: `<path...>` is required and repeatable, `[dir]` is optional. */
  arguments?: readonly { name: string; help: string; choices?: readonly string[] }[];
  options?: readonly OptionRecord[];
  /** A paragraph for the help of the command, after the summary. */
  details?: string;
  /** Complete command lines, without `svc`. */
  examples: readonly string[];
  /** The arguments go unchanged to another program, which parses its own options. */
  forwards?: boolean;
  /**
   * Returns the exit code: 0 success, 1 failure, 2 usage error.
   * @param commands the list of all commands, for commands such as `completion`
   */
  run(
    context: CommandContext,
    args: readonly unknown[],
    options: unknown,
    commands: readonly CommandRow[],
  ): Promise<number>;
};

/** A command in the list. Its module is loaded only when it runs, so that `svc` starts fast. */
export type CommandRow = {
  name: string;
  summary: string;
  load(): Promise<{ command: CommandRecord }>;
};

/** Declares a command; `Args` and `Options` are the types after commander has parsed them. */
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

/** The store: an option of every command that contacts one. */
export const STORE_OPTION: OptionRecord = {
  flags: '--store <url>',
  help: 'URL of the store (default: SVC_STORE, else managed.json, else this machine)',
};

/** JSON instead of text. */
export const JSON_OPTION: OptionRecord = { flags: '--json', help: 'print one line of JSON' };
