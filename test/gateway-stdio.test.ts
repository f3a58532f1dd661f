import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { DEEP, ownProgram } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findRunningDesktop } from '../apps/desktop/src/control/find-running-desktop.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { realSystem } from '../packages/runtime/test/support/real-system.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { ADD, CLEAR, openWorld, textOf } from './support/gateway-world.ts';

const SVC = ownProgram('svc');

/** An agent that starts the gateway from its configuration. */
async function startAgent(words: readonly string[], env: Record<string, string> = {}, approve = true) {
  const client = new Client(
    { name: 'codex-mcp-client', version: '1.0.0' },
    { capabilities: { elicitation: {} } },
  );
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { approve } };
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SVC, 'gateway', ...words],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stderr: 'pipe',
  });
  const said: string[] = [];
  transport.stderr?.on('data', (chunk) => said.push(String(chunk)));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, asked, said };
}

describe('the gateway on standard streams', () => {
  it('connects to the running desktop: lists, files, approvals, notifications', async () => {
    const { own, folder, desktop } = await openWorld({
      play: ({ message }) => text(`Did ${message.params.name}.`),
      server: { tools: [{ name: 'add_note' }, { name: 'clear' }] },
    });
    const { client, asked } = await startAgent([
      '--folder',
      own,
      '--project',
      'First',
      '--provider',
      'codex',
    ]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain(ADD);
    await writeFile(path.join(folder, 'a.txt'), 'Hello.');
    const file = { attachment: path.join(folder, 'a.txt') };
    expect(textOf(await client.callTool({ name: ADD, arguments: file }))).toBe('Did add_note.');
    expect(textOf(await client.callTool({ name: CLEAR, arguments: {} }))).toBe('Did clear.');
    expect(asked).toHaveLength(2);
    const changed = vi.fn();
    client.setNotificationHandler('notifications/tools/list_changed', changed);
    desktop.runtime.library.switch('com.example.notes', false);
    await eventually(() => expect(changed).toHaveBeenCalled());
  });

  it('starts a desktop when none runs, and reconnects to the next one', DEEP, async () => {
    const own = await tempFolder();
    const env = { SVC_STORE: 'http://127.0.0.1:1' };
    const { client } = await startAgent(['--folder', own], env);
    const deps = { fetch, system: realSystem };
    onTestFinished(async () => {
      const last = await findRunningDesktop(own, deps);
      if (last) process.kill(last.pid, 'SIGTERM');
      if (last) await eventually(() => expect(() => process.kill(last.pid, 0)).toThrow());
    });
    expect(JSON.parse(textOf(await client.callTool({ name: 'list_apps' })))).toMatchObject({
      apps: [{ app: 'media' }],
    });
    const pid = (await findRunningDesktop(own, deps))?.pid ?? expect.fail();
    process.kill(pid, 'SIGTERM');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
    expect(JSON.parse(textOf(await client.callTool({ name: 'list_apps' })))).toMatchObject({
      apps: [{ app: 'media' }],
    });
    expect((await findRunningDesktop(own, deps))?.pid).not.toBe(pid);
    // The log contains no credentials.
    const [log, bearer] = await Promise.all(
      ['desktop.log', 'agent-bearer'].map((name) => readFile(path.join(own, name), 'utf8')),
    );
    expect(log).not.toContain('#key=');
    expect(log).not.toContain(bearer?.trim());
  });

  describe.each([
    ['SIGTERM', {}],
    ['SIGINT', DEEP],
    ['end', DEEP],
  ] as const)('with %s', (how, options) => {
    it('ends, also while its desktop does not answer', options, async () => {
      // No desktop can be started in a file.
      const folder = path.join(await tempFolder(), 'file');
      await writeFile(folder, '');
      const child = spawn(process.execPath, [SVC, 'gateway', '--folder', folder], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
      await once(child.stdout, 'data');
      const exited = once(child, 'exit');
      if (how === 'end') child.stdin.end();
      else child.kill(how);
      expect(await exited).toEqual([0, null]);
    });
  });

  it('reports invalid arguments and an unknown project', DEEP, async () => {
    const run = async (words: string[]) => {
      const child = spawn(process.execPath, [SVC, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      const [code] = await once(child, 'exit');
      return { code, said };
    };
    expect(await run(['gateway', '--provider', 'somebody'])).toMatchObject({
      code: 2,
      said: expect.stringContaining('Usage: gateway'),
    });
    expect(await run(['connect', 'nobody'])).toMatchObject({ code: 2 });
    const { own } = await openWorld({ apps: [] });
    const { client } = await startAgent(['--folder', own, '--project', 'Nowhere']);
    await expect(client.listTools()).rejects.toThrow('Unknown project');
  });
});

it('svc connect shows what it writes, asks, and undoes it', DEEP, async () => {
  const home = await tempFolder();
  const config = path.join(home, 'config.toml');
  await writeFile(config, 'model = "o3"\n');
  const run = async (...words: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: home, CODEX_HOME: home };
    const argv = [SVC, 'connect', 'codex', '--folder', path.join(home, 'd'), ...words];
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
      });
    }
    const [code] = await once(child, 'exit');
    return { code, said };
  };
  expect(await run()).toMatchObject({ code: 2, said: expect.stringContaining('+ [mcp_servers.svc]') });
  expect(await readFile(config, 'utf8')).toBe('model = "o3"\n');
  expect(await run('--http', '--yes')).toMatchObject({
    code: 2,
    said: expect.stringContaining('running desktop'),
  });
  expect(await run('--yes', '--project', 'Mine')).toMatchObject({ code: 0 });
  expect(await readFile(config, 'utf8')).toContain('"--project", "Mine"');
  expect(await run('--yes', '--remove')).toMatchObject({ code: 0 });
  expect(await readFile(config, 'utf8')).toBe('model = "o3"\n');
});
