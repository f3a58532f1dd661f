import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RuntimeError } from '@svc/runtime';
import type { Keyring } from '@svc/runtime/keyring';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/command-record.ts';
import type { Terminal } from '../../src/io/terminal.ts';
import { svc } from '../../src/main.ts';

/** A terminal that records its output. */
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

/** A temporary folder, deleted after the test. */
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

/** A keyring that is not available. */
export const noKeyring: Keyring = { get: unusable, set: unusable, delete: unusable };

/** A clock that advances only through `wait`. */
function manualClock(): Pick<CommandContext, 'now' | 'wait'> {
  let now = new Date(2026, 0, 2, 3, 4, 5).getTime();
  return {
    now: () => new Date(now),
    wait: async (ms) => {
      now += ms;
    },
  };
}

/** Overrides for the context of a test. */
type Overrides = Partial<
  Pick<
    CommandContext,
    'company' | 'dialogue' | 'fetch' | 'interrupted' | 'keyring' | 'listTools' | 'openPage' | 'now' | 'wait'
  >
> & {
  terminal?: Partial<Terminal>;
};

/** A context in a temporary folder, isolated from the environment of the machine. */
export async function testContext(
  env: CommandContext['env'] = {},
  { terminal: terminalOptions = {}, ...overrides }: Overrides = {},
) {
  const cwd = await tempFolder();
  const { terminal, shown } = memoryTerminal(false, 80, terminalOptions);
  const context: CommandContext = {
    terminal,
    env: { XDG_CONFIG_HOME: path.join(cwd, '.config'), ...env },
    cwd,
    fetch: globalThis.fetch,
    ...manualClock(),
    hostname: 'laptop',
    keyring: noKeyring,
    interrupted: () => new AbortController().signal,
    listTools: async () => {
      throw new RuntimeError('unreachable');
    },
    ...overrides,
  };
  return { context, cwd, shown };
}

/** Runs command lines in one context; each result has the output of that run. */
export async function testCli(env: CommandContext['env'] = {}, overrides: Overrides = {}) {
  const { context, cwd } = await testContext(env, overrides);
  const run = async (...args: string[]) => {
    const { terminal, shown } = memoryTerminal(false, 80, overrides.terminal);
    const code = await svc(args, { ...context, terminal });
    return { code, ...shown };
  };
  return { run, cwd, env: context.env };
}
