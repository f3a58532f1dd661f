import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeEvent } from '@svc/runtime';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import {
  ADD,
  APP,
  answerApprovals,
  CLEAR,
  connectAgent,
  OTHER,
  openWorld,
  TOOLS,
  textOf,
} from './support/gateway-world.ts';

describe('the gateway', () => {
  it('lists the tools of the manifest immediately, and those of the server when known', async () => {
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
    await eventually(() => expect(changed).toHaveBeenCalled());
    const [add] = (await agent.listTools()).tools;
    expect(add).toMatchObject({
      title: 'Notes: Add a note',
      inputSchema: { properties: { title: { type: 'string' }, attachment: { type: 'string' } } },
      annotations: { readOnlyHint: false },
    });
    // Listing queried each server once, in the background.
    const lists = mcp.asked.filter(({ message }) => message.method === 'tools/list').length;
    await agent.listTools();
    expect(mcp.asked.filter(({ message }) => message.method === 'tools/list')).toHaveLength(lists);

    changed.mockClear();
    runtime.library.switch(APP, false);
    await eventually(() => expect(changed).toHaveBeenCalled());
    expect((await agent.listTools()).tools.map(({ name }) => name)).not.toContain(ADD);
    const off = await agent.callTool({ name: ADD, arguments: {} });
    expect(off).toMatchObject({ isError: true });
    expect(textOf(off)).toContain('switched off');
    await runtime.remove(APP);
    expect(textOf(await agent.callTool({ name: ADD, arguments: {} }))).toContain('Unknown tool');
  });

  it('notifies agents of a yank, and runs no tool of the app', async () => {
    const { agent: to, store, runtime, mcp } = await openWorld({ server: { tools: TOOLS } });
    const changed = vi.fn();
    const agent = await connectAgent(to, {
      prepare: (client) => client.setNotificationHandler('notifications/tools/list_changed', changed),
    });
    expect((await agent.listTools()).tools).toHaveLength(4);
    store.yank('2026-02-01T00:00:00.000Z', '1.0.0');
    await runtime.revocations.check();
    await eventually(() => expect(changed).toHaveBeenCalled());
    expect((await agent.listTools()).tools).toHaveLength(2);
    expect(textOf(await agent.callTool({ name: ADD, arguments: {} }))).toContain('This version was yanked.');
    expect(mcp.headersOf('tools/call')).toEqual([]);
  });

  it('passes on schemas that clients take, and no output schema that the server does not follow', async () => {
    const schemaOf = ($ref: string) => ({
      ...{ type: 'object', properties: { n: { $ref } }, required: ['n'] },
      $defs: { 'a/b': { type: 'number' } },
    });
    const sound = schemaOf('#/$defs/a~1b');
    let n: unknown = 2;
    const { agent: to, runtime } = await openWorld({
      play: ({ message: { params } }) =>
        params.name === 'count' ? { content: [], structuredContent: { n } } : text('Drawn.'),
      server: {
        tools: [
          {
            ...{ name: 'draw', annotations: { readOnlyHint: true }, outputSchema: schemaOf('#/$defs/none') },
            inputSchema: { type: 'object', properties: { thing: true } },
          },
          { name: 'count', annotations: { readOnlyHint: true }, outputSchema: sound },
          { name: 'tell', annotations: { readOnlyHint: true }, outputSchema: sound },
        ],
      },
      apps: [
        {
          ...OTHER,
          contributes: { tools: ['draw', 'count', 'tell'].map((id) => ({ id, name: id, description: id })) },
        },
      ],
    });
    const agent = await connectAgent(to);
    const nameOf = (tool: string) => `com_example_paint__${tool}`;
    const schemas = async () => {
      const { tools } = await agent.listTools();
      return ['draw', 'count', 'tell'].map(
        (tool) => tools.find(({ name }) => name === nameOf(tool))?.outputSchema,
      );
    };
    await eventually(async () => expect(await schemas()).toEqual([undefined, sound, sound]));
    const { tools } = await agent.listTools();
    expect(tools.find(({ name }) => name === nameOf('draw'))).toMatchObject({
      inputSchema: { properties: { thing: {} } },
    });
    const call = (tool: string) => agent.callTool({ name: nameOf(tool), arguments: {} });
    expect(textOf(await call('draw'))).toBe('Drawn.');
    expect(await call('count')).toMatchObject({ structuredContent: { n: 2 } });
    const first = await call('tell');
    expect(first).toMatchObject({ isError: true, content: [{}, { type: 'text', text: 'Drawn.' }] });
    expect(await schemas()).toEqual([undefined, sound, undefined]);
    expect(await call('tell')).toEqual({ content: [{ type: 'text', text: 'Drawn.' }] });
    n = 'two';
    const repaired: RuntimeEvent[] = [];
    runtime.events.subscribe((event) => repaired.push(event));
    expect(await call('count')).toMatchObject({
      isError: true,
      content: [{}, { type: 'text', text: '{"n":"two"}' }],
    });
    expect(repaired).toContainEqual({
      ...{ type: 'server-repaired', appId: 'com.example.paint' },
      what: expect.stringContaining('"count" does not follow its own outputSchema'),
    });
    expect(await schemas()).toEqual([undefined, undefined, undefined]);
    expect(await call('count')).toMatchObject({ structuredContent: { n } });
  });

  it('offers tools of an app with restricted providers only to those', async () => {
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
      expect(textOf(await agent.callTool(draw))).toContain('Unknown tool');
      expect(textOf(await agent.callTool({ name: 'list_apps' }))).not.toContain('paint');
    }
    for (const agent of [codex, told]) expect(textOf(await agent.callTool(draw))).toBe('Drawn.');
  });

  it('says in list_apps that there are tools which the agent has not listed', async () => {
    const { agent: to, store, runtime } = await openWorld({ apps: [{}] });
    const agent = await connectAgent(to);
    const note = async () => JSON.parse(textOf(await agent.callTool({ name: 'list_apps' }))).note;
    await agent.listTools();
    expect(await note()).toBeUndefined();
    const { appId } = store.publish(OTHER).release;
    const sheet = await runtime.installer.prepareInstall(appId);
    await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(await note()).toContain('ask the user to restart you');
    await agent.listTools();
    expect(await note()).toBeUndefined();
  });

  it('searches tools when there are many, and calls a result', async () => {
    const {
      agent: to,
      folder,
      prompts,
    } = await openWorld({
      play: ({ message }) => text(JSON.stringify(message.params)),
      server: { tools: [...TOOLS, { name: 'draw' }] },
      apps: [{}, OTHER],
    });
    await writeFile(path.join(folder, 'a.txt'), 'Hello.');
    answerApprovals(prompts);
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
});
