import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Keyring } from '@svc/runtime/keyring';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/command-context.ts';
import type { Terminal } from '../../src/io/terminal.ts';
import { svc } from '../../src/main.ts';

/** A terminal that remembers what it was shown. */
export function memoryTerminal(colour = false, columns = 80, more: Partial<Terminal> = {}) {
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
    ...more,
  };
  return { terminal, shown };
}

/** A folder of its own, gone when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A keyring in memory. */
export function memoryKeyring() {
  const secrets = new Map<string, string>();
  const keyring: Keyring = {
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => void secrets.set(account, secret),
    delete: async (account) => void secrets.delete(account),
  };
  return { keyring, secrets };
}

const unusable = () => Promise.reject(new Error('it cannot be used'));

/** A machine without a keyring. */
export const noKeyring: Keyring = { get: unusable, set: unusable, delete: unusable };

/** Time that passes only when somebody lets it. */
function stoppedClock(): Pick<CommandContext, 'now' | 'wait'> {
  let now = new Date(2026, 0, 2, 3, 4, 5).getTime();
  return {
    now: () => new Date(now),
    wait: async (ms) => {
      now += ms;
    },
  };
}

/** What a test may give its world besides an environment. */
type Given = Partial<
  Pick<CommandContext, 'dialogue' | 'interrupted' | 'keyring' | 'openPage' | 'now' | 'wait'>
> & {
  terminal?: Partial<Terminal>;
};

/** A world in a folder of its own, with its own settings folder. Nothing of the machine's environment leaks in. */
export async function testWorld(
  env: CommandContext['env'] = {},
  { terminal: look = {}, ...given }: Given = {},
) {
  const cwd = await tempFolder();
  const { terminal, shown } = memoryTerminal(false, 80, look);
  const world: CommandContext = {
    terminal,
    env: { XDG_CONFIG_HOME: path.join(cwd, '.config'), ...env },
    cwd,
    fetch: globalThis.fetch,
    ...stoppedClock(),
    hostname: 'laptop',
    keyring: noKeyring,
    interrupted: () => new AbortController().signal,
    ...given,
  };
  return { world, cwd, shown };
}

/** Runs command lines in one world; each answer holds what that run alone showed. */
export async function testCli(env: CommandContext['env'] = {}, given: Given = {}) {
  const { world, cwd } = await testWorld(env, given);
  const run = async (...args: string[]) => {
    const { terminal, shown } = memoryTerminal(false, 80, given.terminal);
    const code = await svc(args, { ...world, terminal });
    return { code, ...shown };
  };
  return { run, cwd, env: world.env };
}
