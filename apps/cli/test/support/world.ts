import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Terminal } from '../../src/io/terminal.ts';
import { svc } from '../../src/main.ts';
import type { World } from '../../src/world.ts';

/** A terminal that remembers what it was shown. */
export function memoryTerminal(colour = false, columns = 80) {
  const shown = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => {
      shown.out += text;
    },
    err: (text) => {
      shown.err += text;
    },
    colour,
    isScreen: false,
    columns,
    unicode: true,
  };
  return { terminal, shown };
}

/** A folder of its own, gone when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What a test may give its world besides an environment. */
type Given = Partial<Pick<World, 'dialogue' | 'interrupted'>>;

/** A world in a folder of its own, with its own settings folder. Nothing of the machine's environment leaks in. */
async function testWorld(env: World['env'], given: Given) {
  const cwd = await tempFolder();
  const { terminal, shown } = memoryTerminal();
  const world: World = {
    terminal,
    env: { XDG_CONFIG_HOME: path.join(cwd, '.config'), ...env },
    cwd,
    fetch: globalThis.fetch,
    now: () => new Date(2026, 0, 2, 3, 4, 5),
    interrupted: () => new AbortController().signal,
    ...given,
  };
  return { world, cwd, shown };
}

/** Runs command lines in one world; each answer holds what that run alone showed. */
export async function testCli(env: World['env'] = {}, given: Given = {}) {
  const { world, cwd } = await testWorld(env, given);
  const run = async (...args: string[]) => {
    const { terminal, shown } = memoryTerminal();
    const code = await svc(args, { ...world, terminal });
    return { code, ...shown };
  };
  return { run, cwd, env: world.env };
}
