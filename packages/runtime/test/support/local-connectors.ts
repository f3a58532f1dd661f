import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createCalls } from '../../src/calls/calls.ts';
import { commandApp } from '../../src/connectors/connector-app.ts';
import { createEvents } from '../../src/events/events.ts';
import type { InstalledApp, LocalCommand } from '../../src/library/installed-app.ts';
import { defaultSystem } from '../../src/platform/default-system.ts';
import type { System } from '../../src/platform/system.ts';
import { type AtEnd, tempFolder } from './temp-folder.ts';

const STDIO_SERVER = fileURLToPath(new URL('./stdio-server.ts', import.meta.url));

/** A secret in an environment variable, which must not be in any result. */
export const SECRET = 'ghp_9f8E7d6C5b4A3210';

/** The process ids that the servers of a test recorded. */
export const pidsIn = (record: string): number[] =>
  [...readFileSync(record, 'utf8').matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));

/** Whether a process runs. A zombie, which has ended but was not yet reaped by its parent, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** The command of the stdio server of the tests, and the file in which the server records its process ids. */
export async function testCommand(wild = '', more: Partial<LocalCommand> = {}, atEnd?: AtEnd) {
  const folder = await tempFolder(atEnd);
  const record = join(folder, 'record');
  const command: LocalCommand = {
    program: process.execPath,
    args: [STDIO_SERVER, record, wild],
    folder,
    variables: [],
    ...more,
  };
  return { command, record, folder };
}

type Given = {
  wild?: string;
  command?: Partial<LocalCommand>;
  env?: Record<string, string>;
  system?: System;
  atEnd?: AtEnd;
};

/** A connector with a program that serves MCP, and a function that calls its tools. */
export async function openCommandCalls({
  wild,
  command: more,
  env = {},
  system = defaultSystem,
  atEnd = onTestFinished,
}: Given = {}) {
  const { command, record, folder } = await testCommand(wild, more, atEnd);
  const faults: Error[] = [];
  const events = createEvents(() => undefined);
  const calls = createCalls({
    system,
    events,
    ask: async () => ({ accepted: false }),
    tokens: {} as never,
    storage: {} as never,
    prepare: () => Promise.reject(new Error('nothing is prepared here')),
    client: { name: 'test', version: '1' },
    commands: { env: { ...process.env, SVC_TEST_TOKEN: SECRET, ...env }, platform: process.platform },
    onFault: (error) => faults.push(error as Error),
  });
  atEnd(() => calls.stop());
  const app: InstalledApp = commandApp(command, 'Test');
  const where = { project: 'p', chat: 'c' };
  const call = (tool: string, timeoutMs = 60_000) =>
    calls.call(app, { tool, arguments: {}, ...where, timeoutMs });
  return { calls, app, call, where, faults, events, record, folder };
}
