import type { Readable, Writable } from 'node:stream';
import type { System } from '@svc/runtime';

/** The process environment of a command. */
export type CommandContext = {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  arch: string;
  home: string;
  cwd: string;
  system: System;
  fetch: typeof fetch;
  /** How this program is started: a command and its first arguments. */
  program: readonly [string, ...string[]];
  input: Readable;
  output: Writable;
  /** Whether both are a terminal. */
  isTerminal: boolean;
  say(line: string): void;
  /** Writes a line to standard error. */
  warn(line: string): void;
  /** Aborted when the program should exit. */
  stopped: AbortSignal;
};

/** Runs a command. @returns the exit code */
export type Command = (context: CommandContext, words: readonly string[]) => Promise<number>;

/** The exports of a command's file: the command and its usage line. */
export type CommandModule = { run: Command; usage: string };

/** Wrong command line or setup. The message is one line. */
export class UsageError extends Error {}

/** A word as a POSIX shell reads it, whatever it contains. */
export const shellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
