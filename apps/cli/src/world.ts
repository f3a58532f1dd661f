import type { Terminal } from './io/terminal.ts';

/** All that a command touches outside itself, so that tests can hand in their own. */
export type World = {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  cwd: string;
  fetch: typeof globalThis.fetch;
};
