import type { Ambient } from '@svc/runtime';

/** What a command knows of the process that it runs in. */
export type World = {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  arch: string;
  home: string;
  ambient: Ambient;
  fetch: typeof fetch;
  /** Writes a line on the standard output. */
  say(line: string): void;
  /** Writes a line on the standard error. */
  warn(line: string): void;
  /** Aborted when the person, or the system, wants the program to end. */
  stopped: AbortSignal;
};

/** What one word on the command line does. @returns the exit code */
export type Command = (world: World, words: readonly string[]) => Promise<number>;

/** Wrong use: what to say, in one line. */
export class WrongUse extends Error {}
