import type { Readable, Writable } from 'node:stream';
import type { Keyring } from '@svc/runtime/keyring';
import type { Terminal } from './io/terminal.ts';

/** All that a command touches outside itself, so that tests can hand in their own. */
export type CommandContext = {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  cwd: string;
  fetch: typeof globalThis.fetch;
  now(): Date;
  /** Lets time pass, in milliseconds; not longer than until the signal is aborted, and never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** What this machine is called. */
  hostname: string;
  /** The file of the desktop's program, where it is not the usual one. */
  programFile?: string;
  /** Where the system keeps secrets. */
  keyring: Keyring;
  /**
   * Aborted when the user has had enough. From the first call on, Ctrl-C no longer ends the program by itself, so only
   * a command that runs until then asks for it.
   */
  interrupted(): AbortSignal;
  /** Where questions are asked and answered; undefined when no person sits at both ends. */
  dialogue?: { input: Readable; output: Writable } | undefined;
  /**
   * Opens an http or https address in the user's browser; false when that could not even be tried. Undefined when nobody
   * would see it.
   */
  openPage?: ((address: string) => Promise<boolean>) | undefined;
};
