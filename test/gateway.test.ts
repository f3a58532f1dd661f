import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '@svc/contracts';
import { describe, expect, it, vi } from 'vitest';
import { toolName } from '../apps/desktop/src/gateway/tool-names.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { png } from '../testkit/src/picture.ts';
import { connectAgent, openWorld, textOf } from './support/gateway-world.ts';

const APP = 'com.example.notes';
const ADD = 'com_example_notes__add_note';
const CLEAR = 'com_example_notes__clear';

const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const TOOLS = [
  { name: 'add_note', inputSchema: SCHEMA, annotations: { readOnlyHint: false } },
  { name: 'clear' },
];

const OTHER: Partial<Manifest> = {
  id: 'com.example.paint',
  name: 'Paint',
  contributes: { tools: [{ id: 'draw', name: 'Draw', description: 'Draws a picture of a thing.' }] },
};

/** Approves in the agent's own dialog, or not. */
const dialog = (answer: object, asked: { message: string }[] = []) => ({
  asked,
  capabilities: { elicitation: {} },
  prepare: (client: Parameters<NonNullable<NonNullable<Parameters<typeof connectAgent>[1]>['prepare']>>[0]) =>
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      return answer as { action: 'accept' };
    }),
});

describe('the gateway', () => {
  it('lists what the manifest says at once, and what the server says as soon as that is known', async () => {
    const { agent: to, mcp, runtime } = await openWorld({ server: { tools: TOOLS }, apps: [{}, OTHER] });
    const changed = vi.fn();
    const agent = await connectAgent(to, {
      prepare: (client) => client.setNotificationHandler('notifications/tools/list_changed', changed),
    });
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ADD,
      CLEAR,
      'com_example_paint__draw',
      'list_apps',
      'connect_account',
    ]);
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    const [add] = (await agent.listTools()).tools;
    expect(add).toMatchObject({
      title: 'Notes: Add a note',
      inputSchema: { properties: { title: { type: 'string' }, attachment: { type: 'string' } } },
      annotations: { readOnlyHint: false },
    });
    // Listing asked each server once, behind the list.
    const lists = mcp.asked.filter(({ message }) => message.method === 'tools/list').length;
    await agent.listTools();
    expect(mcp.asked.filter(({ message }) => message.method === 'tools/list')).toHaveLength(lists);

    changed.mockClear();
    runtime.library.switch(APP, false);
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    expect((await agent.listTools()).tools.map(({ name }) => name)).not.toContain(ADD);
    const off = await agent.callTool({ name: ADD, arguments: {} });
    expect(off).toMatchObject({ isError: true });
    expect(textOf(off)).toContain('switched off');
    await runtime.remove(APP);
    expect(textOf(await agent.callTool({ name: ADD, arguments: {} }))).toContain('There is no');
  });

  it('tells agents of a withdrawal, and runs nothing of it', async () => {
    const { agent: to, store, runtime, mcp } = await openWorld({ server: { tools: TOOLS } });
    const changed = vi.fn();
    const agent = await connectAgent(to, {
      prepare: (client) => client.setNotificationHandler('notifications/tools/list_changed', changed),
    });
    expect((await agent.listTools()).tools).toHaveLength(4);
    store.withdraw('2026-02-01T00:00:00.000Z', '1.0.0');
    await runtime.revocations.check();
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    expect((await agent.listTools()).tools).toHaveLength(2);
    expect(textOf(await agent.callTool({ name: ADD, arguments: {} }))).toContain('withdrawn');
    expect(mcp.headersOf('tools/call')).toEqual([]);
  });

  it('lets in nobody without the bearer, from another site, or for what is not there', async () => {
    const { agent: to, origin } = await openWorld({});
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    const ask = async (headers: Record<string, string>, query = '') => {
      const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const response = await fetch(`${origin}/mcp${query}`, {
        method: 'POST',
        headers: { ...all, ...headers },
        body,
      });
      await response.body?.cancel();
      return response.status;
    };
    const authorization = `Bearer ${to.bearer}`;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: `Bearer ${to.bearer}x` })).toBe(401);
    expect(await ask({ authorization: to.bearer })).toBe(401);
    expect(await ask({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await ask({ authorization, 'mcp-session-id': 'guessed' })).toBe(404);
    expect(await ask({ authorization }, '?project=Nowhere')).toBe(400);
    expect(await ask({ authorization }, '?provider=somebody')).toBe(400);
    expect(await ask({ authorization })).toBe(200);
  });

  it('ends the session that was silent longest when all places are taken', async () => {
    const { agent: to, origin } = await openWorld({ apps: [] });
    const ask = (body: object, session?: string) =>
      fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${to.bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      });
    const begin = async () => {
      const clientInfo = { name: 'x', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const response = await ask({ method: 'initialize', params });
      await response.text();
      return response.headers.get('mcp-session-id') ?? expect.fail();
    };
    const ping = async (session: string) => {
      const response = await ask({ method: 'ping' }, session);
      await response.text();
      return response.status;
    };
    const first = await begin();
    const second = await begin();
    for (let n = 2; n < 64; n += 1) await begin();
    expect(await ping(first)).toBe(200);
    await begin();
    expect(await ping(second)).toBe(404);
    expect(await ping(first)).toBe(200);
    // What begins with anything else than a session is none, and takes no place.
    expect((await ask({ method: 'tools/list' })).status).toBe(400);
    expect(await ping(first)).toBe(200);
  });

  it('gives tools of an app that limits providers to those alone', async () => {
    const { agent: to } = await openWorld({
      play: () => text('Drawn.'),
      apps: [{}, { ...OTHER, requires: { providers: ['codex'] } }],
    });
    const [claude, codex, unknown, told] = await Promise.all([
      connectAgent(to),
      connectAgent(to, { name: 'codex-mcp-client' }),
      connectAgent(to, { name: 'something' }),
      connectAgent(to, { name: 'something', query: { provider: 'codex' } }),
    ]);
    const draw = { name: 'com_example_paint__draw', arguments: {} };
    for (const agent of [claude, unknown]) {
      expect((await agent.listTools()).tools.map(({ name }) => name)).not.toContain(draw.name);
      expect(textOf(await agent.callTool(draw))).toContain('There is no tool');
      expect(textOf(await agent.callTool({ name: 'list_apps' }))).not.toContain('paint');
    }
    for (const agent of [codex, told]) expect(textOf(await agent.callTool(draw))).toBe('Drawn.');
  });

  it('searches tools when there are many, and calls what it found', async () => {
    const { agent: to, folder } = await openWorld({
      play: ({ message }) => text(JSON.stringify(message.params)),
      server: { tools: [...TOOLS, { name: 'draw' }] },
      apps: [{}, OTHER],
    });
    await writeFile(path.join(folder, 'a.txt'), 'Hello.');
    const agent = await connectAgent(to, { query: { tools: 'search' } });
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual([
      'find_tools',
      'call_tool',
      'list_apps',
      'connect_account',
    ]);
    const found = await agent.callTool({ name: 'find_tools', arguments: { query: 'keep a note' } });
    const { tools } = JSON.parse(textOf(found));
    expect(tools[0]).toMatchObject({ name: ADD, inputSchema: { properties: { title: {} } } });
    const only = { query: 'a note or a picture', app: OTHER.id };
    expect(
      JSON.parse(textOf(await agent.callTool({ name: 'find_tools', arguments: only }))).tools,
    ).toMatchObject([{ name: 'com_example_paint__draw' }]);
    const call = {
      name: ADD,
      arguments: { title: 'T' },
      files: { attachment: path.join(folder, 'a.txt') },
    };
    const result = JSON.parse(textOf(await agent.callTool({ name: 'call_tool', arguments: call })));
    expect(result).toMatchObject({
      name: 'add_note',
      arguments: { title: 'T', attachment: { name: 'a.txt' } },
    });
    const wrong = await agent.callTool({ name: 'call_tool', arguments: { nom: ADD } });
    expect(wrong).toMatchObject({ isError: true });
  });

  it('hands over files by path from the project alone, and gives back paths', async () => {
    const picture = Buffer.from(png(64)).toString('base64');
    const {
      agent: to,
      folder,
      desktop,
      mcp,
    } = await openWorld({
      play: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: picture }] }),
      server: { tools: TOOLS },
      apps: [{ grants: ['files:receive', 'files:return'] }],
    });
    const outside = await tempFolder();
    await writeFile(path.join(folder, 'a.txt'), 'Hello.');
    await writeFile(path.join(outside, 'secret.txt'), 'Secret.');
    await symlink(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
    await symlink(outside, path.join(folder, 'out'));
    await mkdir(path.join(folder, 'sub'));
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    const agent = await connectAgent(to);
    const add = (attachment: unknown) => agent.callTool({ name: ADD, arguments: { title: 'T', attachment } });
    for (const [file, why] of [
      [path.join(outside, 'secret.txt'), 'not within'],
      [path.join(folder, 'link.txt'), 'not within'],
      [path.join(folder, 'out', 'secret.txt'), 'not within'],
      [path.join(folder, '..', path.basename(outside), 'secret.txt'), 'not within'],
      [`${folder}-beside/x`, 'not within'],
      ['/dev/zero', 'not within'],
      [path.join(folder, 'pipe'), 'no plain file'],
      [path.join(folder, 'sub'), 'no plain file'],
      [path.join(folder, 'nothing.txt'), 'no file'],
      ['a.txt', 'not an absolute path'],
      [{ path: 'a' }, 'takes an absolute path'],
    ] as const) {
      const refused = await add(file);
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toContain(why);
    }
    expect(mcp.headersOf('tools/call')).toEqual([]);

    const added = await add(path.join(folder, 'a.txt'));
    const content = added.content as unknown as Record<string, string>[];
    expect(mcp.asked.at(-1)?.message.params.arguments).toMatchObject({
      attachment: { name: 'a.txt', data: Buffer.from('Hello.').toString('base64') },
    });
    const [said, link, image] = content;
    expect(said?.text).toContain(fileURLToPath(link?.uri ?? ''));
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png' });
    expect(image).toMatchObject({ type: 'image', data: picture });

    await desktop.settings.allowFolder(outside);
    expect(await add(path.join(outside, 'secret.txt'))).not.toHaveProperty('isError');
  });

  it('has the agent ask for approval, of exactly what is sent, and takes nothing else for a yes', async () => {
    const {
      agent: to,
      desk,
      mcp,
    } = await openWorld({ play: () => text('Cleared.'), server: { tools: TOOLS } });
    const yes = dialog({ action: 'accept', content: { approve: true } });
    const agent = await connectAgent(to, yes);
    const args = { scope: 'all\nFile: nothing\u202e' };
    expect(textOf(await agent.callTool({ name: CLEAR, arguments: args }))).toBe('Cleared.');
    expect(yes.asked[0]?.message).toContain('Remove all notes?');
    expect(yes.asked[0]?.message).toContain('"scope": "all\\nFile: nothing\\u{202e}"');
    const calls = mcp.headersOf('tools/call').length;
    for (const answer of [
      { action: 'accept', content: { approve: false } },
      { action: 'decline' },
      { action: 'cancel' },
    ]) {
      const no = await connectAgent(to, dialog(answer));
      const refused = await no.callTool({ name: CLEAR, arguments: {} });
      expect(textOf(refused)).toContain('said no');
    }
    expect(mcp.headersOf('tools/call')).toHaveLength(calls);
    expect(desk.waiting()).toEqual([]);
  });

  it('waits for the page where the agent has no dialog, may not use it, or could not show it whole', async () => {
    const { agent: to, desk } = await openWorld({ play: () => text('Cleared.'), server: { tools: TOOLS } });
    const answered = async (agent: Awaited<ReturnType<typeof connectAgent>>, args = {}) => {
      const progress: string[] = [];
      const onprogress = ({ message = '' }) => void progress.push(message);
      const calling = agent.callTool({ name: CLEAR, arguments: args }, { onprogress });
      const [waiting] = await vi.waitFor(() => {
        expect(desk.waiting()).toHaveLength(1);
        return desk.waiting();
      });
      expect(waiting).toMatchObject({ asker: 'claude-code', card: { kind: 'approval' } });
      await vi.waitFor(() => expect(progress[0]).toContain('asked in the desktop page'));
      const binding = waiting && 'binding' in waiting.card ? waiting.card.binding : '';
      desk.answer(waiting?.id ?? '', { accepted: true, binding });
      return textOf(await calling);
    };
    expect(await answered(await connectAgent(to))).toBe('Cleared.');
    const liar = dialog({ action: 'accept', content: { approve: true } });
    const agent = await connectAgent(to, liar);
    expect(await answered(agent, { long: 'x'.repeat(5_000) })).toBe('Cleared.');
    expect(liar.asked).toEqual([]);
    const strict = await openWorld({
      play: () => text('Cleared.'),
      server: { tools: TOOLS },
      gateway: { approvals: 'page' },
    });
    const silenced = await connectAgent(strict.agent, liar);
    const calling = silenced.callTool({ name: CLEAR, arguments: {} });
    await vi.waitFor(() => expect(strict.desk.waiting()).toHaveLength(1));
    strict.desk.answer(strict.desk.waiting()[0]?.id ?? '', { accepted: false });
    expect(textOf(await calling)).toContain('said no');
    expect(liar.asked).toEqual([]);
  });

  it('connects an account by an address that the agent opens, or on the page, and never shows a token', async () => {
    const {
      agent: to,
      desk,
      oidc,
      mcp,
      runtime,
    } = await openWorld({
      play: ({ request }) => text(`Heard ${request.headers.authorization}.`),
      server: { tools: [{ name: 'mine' }], signIn: true },
      apps: [
        {
          contributes: { tools: [{ id: 'mine', name: 'Mine', description: 'Needs it.', account: 'notes' }] },
          accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: ['notes:read'] }],
        },
      ],
    });
    const MINE = toolName(APP, 'mine');
    const opened: { url: string }[] = [];
    const agent = await connectAgent(to, {
      capabilities: { elicitation: { url: {} } },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          opened.push(params as { url: string });
          return { action: 'accept' as const };
        }),
    });
    const calling = agent.callTool({ name: MINE, arguments: {} });
    const link = await vi.waitFor(() => opened[0]?.url ?? expect.fail());
    // Opening it is no answer, and neither is another site's form.
    const page = await fetch(link);
    expect(await page.text()).toContain('wants to use your account Notes');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const post = (headers: Record<string, string>) =>
      fetch(link, { method: 'POST', headers, body: new URLSearchParams({ answer: 'yes' }) });
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect(oidc?.tokenRequests).toEqual([]);
    expect((await post({})).status).toBe(200);
    const result = textOf(await calling);
    expect(result).toMatch(/^Heard Bearer \[.+\]\.$/);
    const [{ authorization = '' } = {}] = mcp.headersOf('tools/call');
    expect(authorization.length).toBeGreaterThan(20);
    expect(result).not.toContain(authorization.slice('Bearer '.length));
    expect((await post({})).status).toBe(404);

    const app = runtime.library.get(APP);
    if (app) await runtime.accounts.disconnect(app, 'notes');
    const plain = await connectAgent(to);
    const connecting = plain.callTool({
      name: 'connect_account',
      arguments: { app: APP, account: 'notes' },
    });
    await vi.waitFor(() => expect(desk.waiting()).toMatchObject([{ card: { kind: 'connect' } }]));
    desk.answer(desk.waiting()[0]?.id ?? '', { accepted: true });
    expect(textOf(await connecting)).toContain('connected');
    expect(JSON.parse(textOf(await plain.callTool({ name: 'list_apps' }))).apps).toMatchObject([
      { app: APP, accounts: [{ id: 'notes', connected: true }] },
    ]);
  });
});
