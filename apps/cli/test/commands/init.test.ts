import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { anyText } from '@svc/testkit/any-text';
import { eventually } from '@svc/testkit/eventually';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { problemWith } from '../../src/init/ask.ts';
import { testCli } from '../support/command-context.ts';

const GIVEN = ['--name', 'Tidy', '--id', 'com.example.tidy', '--publisher', 'example'];
const ENOUGH = [...GIVEN, '--description', 'Tidies up.', '--mcp-url', 'https://mcp.example.com/mcp'];
const REMOTE = [...GIVEN, '--description', 'Tidies up.', '--template', 'remote'];
const OAUTH = [
  ...['--account', 'oauth', '--authorize-url', 'https://example.com/authorize'],
  ...['--token-url', 'https://example.com/token', '--client-id', 'tidy'],
];

const manifestIn = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, 'plugin.json'), 'utf8'));

/** The codes that the checks of the store find in an app. */
async function problemsOf(
  run: Awaited<ReturnType<typeof testCli>>['run'],
  folder: string,
): Promise<string[]> {
  const { issues } = JSON.parse((await run('validate', folder, '--json')).out);
  return issues.map(({ code }: { code: string }) => code);
}

describe('svc init', () => {
  it.each([
    { what: 'only required options', args: [] },
    { what: 'a panel', args: ['--panel'] },
    { what: 'no panel', args: ['--no-panel'] },
    { what: 'an account of the MCP server', args: ['--account', 'mcp', '--panel'] },
    { what: 'an OAuth account', args: [...OAUTH, '--category', 'media'] },
  ])(
    'creates an app with $what whose only problem is the text of the template, and that can be packed',
    async ({ args }) => {
      const { run, cwd } = await testCli();
      const made = await run('init', ...ENOUGH, ...args);
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(made.out).toContain('created  com.example.tidy in tidy\n');
      expect(await problemsOf(run, 'tidy')).toEqual(['bundle.template']);
      expect(await run('pack', 'tidy')).toMatchObject({ code: 0 });
      const { contributes } = await manifestIn(path.join(cwd, 'tidy'));
      expect(contributes.panels?.length ?? 0).toBe(args.includes('--panel') ? 1 : 0);
    },
  );

  it('refers to the schema of the given store', async () => {
    const { run, cwd } = await testCli({ SVC_STORE: 'https://env.example/store/' });
    await run('init', 'a', ...ENOUGH);
    await run('init', 'b', ...ENOUGH, '--store', 'https://option.example');
    expect((await manifestIn(path.join(cwd, 'a'))).$schema).toBe(
      'https://env.example/store/schemas/app-manifest-v3.json',
    );
    expect((await manifestIn(path.join(cwd, 'b'))).$schema).toBe(
      'https://option.example/schemas/app-manifest-v3.json',
    );
  });

  it.each([
    { what: 'missing options', args: GIVEN, says: '--description, --mcp-url' },
    {
      what: 'missing options of an OAuth account',
      args: [...ENOUGH, '--account', 'oauth'],
      says: '--token-url, --client-id',
    },
    {
      what: 'a value that the store would refuse',
      args: [...ENOUGH, '--id', 'X'],
      says: '--id: The id must have at least 2 parts',
    },
    {
      what: 'an OAuth option without an OAuth account',
      args: [...ENOUGH, '--account', 'mcp', '--client-id', 'x'],
      says: '--client-id requires --account oauth',
    },
    {
      what: 'an MCP server with --template remote',
      args: [...ENOUGH, '--template', 'remote'],
      says: '--mcp-url names an existing server',
    },
    {
      what: 'an account with --template remote',
      args: [...REMOTE, '--account', 'mcp'],
      says: 'creates an app without an account',
    },
    { what: 'an unknown template', args: [...ENOUGH, '--template', 'x'], says: 'is invalid' },
    { what: 'an unknown kind of account', args: [...ENOUGH, '--account', 'x'], says: 'is invalid' },
    { what: 'an invalid store', args: [...ENOUGH, '--store', 'x'], says: '--store must be' },
  ])('refuses $what, and writes nothing', async ({ args, says }) => {
    const { run, cwd } = await testCli();
    const { code, out, err } = await run('init', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('does not overwrite a file', async () => {
    const { run, cwd } = await testCli();
    await writeFile(path.join(cwd, 'README.md'), 'mine');
    const { code, err } = await run('init', '.', ...ENOUGH);
    expect(code).toBe(2);
    expect(err).toContain('. already contains README.md');
    expect(await readdir(cwd)).toEqual(['README.md']);
  });

  it('creates a valid app for any valid name and description', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText({ minLength: 1, maxLength: 40 }),
        fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
        async (name, description) => {
          fc.pre([...name, ...description].every((character) => character.isWellFormed()));
          fc.pre(
            problemWith('name', name) === undefined && problemWith('description', description) === undefined,
          );
          const { run } = await testCli();
          const args = [
            `--name=${name}`,
            `--description=${description}`,
            ...ENOUGH.slice(2, 6),
            ...ENOUGH.slice(8),
          ];
          expect(await run('init', 'app', ...args, '--panel', '--account', 'mcp')).toMatchObject({ code: 0 });
          expect(await problemsOf(run, 'app')).toEqual(['bundle.template']);
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** A user at a terminal, who types an answer once its prompt is shown. */
function person() {
  const input = new PassThrough();
  const output = new PassThrough();
  let seen = '';
  output.on('data', (chunk: Buffer) => {
    seen += stripVTControlCharacters(chunk.toString());
  });
  const answer = async (question: string, keys: string) => {
    await eventually(() => expect(seen).toContain(question));
    seen = '';
    input.write(keys);
  };
  return { dialogue: { input, output }, answer };
}

const DOWN = '\u001b[B';

describe('svc init at a terminal', () => {
  it('prompts, and validates each answer', async () => {
    const { dialogue, answer } = person();
    const { run, cwd } = await testCli({}, { dialogue });
    const done = run('init', 'app');
    await answer('Name of the app', 'svc\r');
    await answer('reserved name', ' Tidy Up\u0015Tidy Up\r');
    await answer('Publisher (its short name', 'example\r');
    await answer('com.example.tidy-up', '\r');
    await answer('What does the app do?', 'Tidies up.\r');
    await answer('Which MCP server provides', '\r');
    await answer('URL of its MCP server', 'https://mcp.example.com/mcp\r');
    await answer('Category in the catalogue', `${DOWN}\r`);
    await answer('Do users need an account', `${DOWN}${DOWN}\r`);
    await answer('Authorization endpoint', 'https://example.com/a\r');
    await answer('Token endpoint', 'https://example.com/t\r');
    await answer('client id', 'tidy\r');
    await answer('Add a panel', 'y');
    expect(await done).toMatchObject({ code: 0, err: '' });
    expect(await manifestIn(path.join(cwd, 'app'))).toMatchObject({
      name: 'Tidy Up',
      id: 'com.example.tidy-up',
      categories: ['design'],
      accounts: [{ clientId: 'tidy' }],
      contributes: { panels: [{ title: 'Tidy Up' }] },
    });
    expect(await problemsOf(run, 'app')).toEqual(['bundle.template']);
  });

  it('prompts only for missing answers', async () => {
    const { dialogue, answer } = person();
    const { run } = await testCli({}, { dialogue });
    const done = run('init', ...ENOUGH, '--account', 'none', '--panel');
    await answer('Category in the catalogue', '\r');
    expect(await done).toMatchObject({ code: 0 });
  });

  it('does not prompt for a URL and an account when it creates a server', async () => {
    const { dialogue, answer } = person();
    const { run, cwd } = await testCli({}, { dialogue });
    const done = run('init', 'app', ...GIVEN, '--description', 'Tidies up.');
    await answer('Which MCP server provides', `${DOWN}\r`);
    await answer('Category in the catalogue', '\r');
    await answer('Add a panel', 'n');
    expect(await done).toMatchObject({ code: 0, err: '' });
    expect((await readdir(path.join(cwd, 'app'))).sort()).toEqual(['.gitignore', 'app', 'parts', 'server']);
  });

  it('does not prompt with --yes', async () => {
    const { dialogue } = person();
    const { run } = await testCli({}, { dialogue });
    expect(await run('init', ...ENOUGH, '--yes')).toMatchObject({ code: 0 });
  });

  it.each(['\u0003', '\u001b'])('writes nothing when it is cancelled with %j', async (key) => {
    const { dialogue, answer } = person();
    const { run, cwd } = await testCli({}, { dialogue });
    const done = run('init', ...GIVEN);
    await answer('What does the app do?', key);
    expect(await done).toMatchObject({ code: 130, out: '', err: 'svc: Cancelled; nothing was written.\n' });
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('svc init --from', () => {
  /** A server of the earlier generation, with invalid names and texts. */
  async function startServer(tools: readonly object[]) {
    const serverInfo = { name: 'Tidy \u001b[2J', version: '1' };
    const answers: Record<string, object> = {
      initialize: { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } },
      'tools/list': { result: { tools } },
    };
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method } = body === '' ? { id: 0, method: '' } : JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      const answer = answers[method] ?? { error: { code: -32601, message: 'Method not found' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }

  const tool = (name: string, description = 'Does it.') => ({
    name,
    description,
    inputSchema: { type: 'object' },
  });

  it('creates a valid app from a server, and keeps the names of its tools', async () => {
    const url = await startServer(['tidy_up', 'findNotes', '../../x', 'x\u202e'].map((name) => tool(name)));
    const { run, cwd } = await testCli();
    const made = await run('init', 'tidy', '--from', url, ...GIVEN);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('Left out the tool "../../x"');
    expect(made.out).toContain('The tool "x\\u202e" was left out');
    for (const hidden of ['\u001b', '\u202e']) expect(made.out).not.toContain(hidden);
    const { contributes, remote } = await manifestIn(path.join(cwd, 'tidy'));
    expect(contributes.tools).toMatchObject([
      { id: 'tidy_up' },
      { id: 'find_notes', remoteName: 'findNotes' },
    ]);
    expect(remote.mcpUrl).toBe(url);
    const found = await run('validate', 'tidy', '--mode', 'dev', '--json');
    expect([found.code, JSON.parse(found.out).issues]).toMatchObject([
      0,
      [{ code: 'remote.localhost' }, { code: 'bundle.template' }],
    ]);
    const again = await run('init', 'json', '--from', url, ...GIVEN, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ appId: 'com.example.tidy', changes: expect.any(Array) });
  });

  it.each([
    ['no address', ['--from', 'nowhere'], 2, 'https URL of an MCP server'],
    [
      'an address of the local network',
      ['--from', 'https://10.0.0.1/mcp'],
      1,
      'Cannot read https://10.0.0.1/mcp',
    ],
    [
      'an option that the server determines',
      ['--from', 'https://mcp.example.com', '--mcp-url', 'https://x.example.com'],
      2,
      '--mcp-url cannot be used with --from',
    ],
    [
      'a template',
      ['--from', 'https://mcp.example.com', '--template', 'remote'],
      2,
      '--template cannot be used with --from',
    ],
  ])('refuses %s, and writes nothing', async (_what, args, code, says) => {
    const { run, cwd } = await testCli();
    expect(await run('init', 'x', ...args, ...GIVEN)).toMatchObject({
      code,
      err: expect.stringContaining(says),
    });
    expect(await readdir(cwd)).toEqual([]);
  });
});
