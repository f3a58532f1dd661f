import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { defaultSystem } from '@svc/runtime/default-system';
import { expect, it } from 'vitest';
import type { CommandContext } from '../../src/commands/command.ts';
import { run } from '../../src/commands/connect.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function started() {
  const home = await tempFolder();
  const connect = async (...words: string[]) => {
    const said: string[] = [];
    const context: CommandContext = {
      ...{ home, env: {}, platform: 'linux', arch: 'x64', cwd: home, system: defaultSystem, fetch },
      program: ['/usr/bin/node', '/svc/main.js'],
      ...{ input: new PassThrough(), output: new PassThrough(), isTerminal: false },
      ...{ say: (line) => said.push(line), warn: (line) => said.push(line) },
      stopped: new AbortController().signal,
    };
    const code = await run(context, [...words, '--folder', path.join(home, 'd')]);
    return { code, said: said.join('\n') };
  };
  return { home, connect };
}

it('lists the agents of this computer, with their state, and the others by their ids', async () => {
  const { home, connect } = await started();
  expect((await connect()).said).toContain('No agent was found');
  mkdirSync(path.join(home, '.kiro', 'settings'), { recursive: true });
  expect(await connect('kiro', '--yes')).toMatchObject({ code: 0 });
  mkdirSync(path.join(home, '.codex'));
  const { said } = await connect();
  expect(said).toMatch(/^codex +not connected/m);
  expect(said).toMatch(/^kiro +connected/m);
  expect(said).toMatch(/Not found here: claude-code, .*zed/);
});

it.each([
  [[], '"mcpServers": {\n    "svc": {\n      "command": "/usr/bin/node"'],
  [['codex', '--unattended'], 'default_tools_approval_mode = "approve"\nrequired = true'],
  [['goose'], 'extensions:\n  svc:\n    name: svc\n    type: stdio'],
  [['vscode'], '"servers": {\n    "svc": {\n      "type": "stdio"'],
])('prints the entry of an agent without writing it: %s', async (words, entry) => {
  const { home, connect } = await started();
  const { code, said } = await connect('--print', ...words);
  expect([code, said]).toEqual([0, expect.stringContaining(entry)]);
  expect(said).toContain(path.join(home, 'd'));
  expect((await connect()).said).toContain('No agent was found');
});
