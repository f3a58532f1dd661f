import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { testCli } from '../support/command-context.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const ARGS = ['--name', 'Tidy "Up"', '--id', 'com.example.tidy', '--publisher', 'example'];
const REMOTE = [...ARGS, '--description', 'Tidies up.', '--template', 'remote'];

const jsonIn = async (...parts: string[]) => JSON.parse(await readFile(path.join(...parts), 'utf8'));

/** Starts the server of a new app, with the packages of this repository in place of installed ones. */
async function startServer(folder: string): Promise<URL> {
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const server = spawn(process.execPath, ['main.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
  return new URL(line.replace('MCP server: ', '').trim());
}

it('creates an app that lacks only a public URL, and a server that runs its tools', async () => {
  const { run, cwd } = await testCli();
  const made = await run('init', ...REMOTE);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toContain('(cd tidy/server && npm install && npm start)');
  expect(made.out).toContain('svc dev tidy/app');

  const found = await run('validate', 'tidy/app', '--mode', 'dev', '--json');
  expect(found.code).toBe(0);
  const { issues }: { issues: { code: string; level: string }[] } = JSON.parse(found.out);
  expect(issues.map(({ code, level }) => `${level} ${code}`).toSorted()).toEqual([
    'warning bundle.template',
    'warning remote.localhost',
  ]);

  const url = await startServer(path.join(cwd, 'tidy', 'server'));
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(url));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const { contributes } = await jsonIn(cwd, 'tidy/app/plugin.json');
  expect(contributes.tools.map(({ id }: { id: string }) => id)).toEqual(tools.map(({ name }) => name));
  const counted = await client.callTool({ name: 'count_words', arguments: { text: ' one  two\nthree ' } });
  expect(counted.structuredContent).toEqual({ words: 3 });
  expect((await client.callTool({ name: 'count_words', arguments: { text: 1 } })).isError).toBe(true);
  expect((await fetch(new URL('/', url))).status).toBe(404);
  // DNS rebinding: a page that resolves its name to this machine.
  const answer = request(url, { method: 'POST', headers: { host: 'evil.example' } }).end();
  const [{ statusCode }] = (await once(answer, 'response')) as [IncomingMessage];
  expect(statusCode).toBe(403);
});

it('requires the dependency versions of this repository', async () => {
  const { run, cwd } = await testCli();
  await run('init', 'app', ...REMOTE, '--panel');
  const { dependencies } = await jsonIn(cwd, 'app/server/package.json');
  const held = await jsonIn(ROOT, 'packages/runtime/package.json');
  for (const [name, version] of Object.entries(dependencies)) {
    expect({ [name]: version }).toEqual({ [name]: held.dependencies[name] ?? held.devDependencies[name] });
  }
  expect((await run('validate', 'app/app', '--mode', 'dev')).code).toBe(0);
});
