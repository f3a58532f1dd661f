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
