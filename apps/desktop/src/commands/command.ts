import type { Readable, Writable } from 'node:stream';
import type { System } from '@svc/runtime';

/** What a command knows of the process that it runs in. */
export type World = {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  arch: string;
  home: string;
  cwd: string;
  system: System;
  fetch: typeof fetch;
  /** What this program is started with: a command, and what comes before its own words. */
  program: readonly [string, ...string[]];
  /** What is typed, or sent by the program that started this one; and where answers go. */
  input: Readable;
  output: Writable;
  /** Whether a person sits at both. */
  isTerminal: boolean;
  /** Writes a line on the standard output. */
  say(line: string): void;
  /** Writes a line on the standard error. */
  warn(line: string): void;
  /** Aborted when the person, or the system, wants the program to end. */
  stopped: AbortSignal;
};

/** What one word on the command line does. @returns the exit code */
export type Command = (world: World, words: readonly string[]) => Promise<number>;

/** What the file of a command exports: the command, and the line that says how it is used. */
export type CommandModule = { run: Command; usage: string };

/** Wrong use: what to say, in one line. */
export class UsageError extends Error {}
