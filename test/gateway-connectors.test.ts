import { describe, expect, it } from 'vitest';
import { isAlive, pidsIn, testCommand } from '../packages/runtime/test/support/local-connectors.ts';
import { serveMcp, text } from '../packages/runtime/test/support/mcp-server.ts';
import { connectAgent, openWorld, pageOf, textOf } from './support/gateway-world.ts';

/** A local connector added on the page. */
async function withProgram(wild = '') {
  const world = await openWorld({ apps: [], localConnectors: true });
  const { command, record } = await testCommand(wild);
  const { page, kinds } = await pageOf(world);
  const { program, args, folder } = command;
  const added = await page.call('connectors.addLocal', {
    command: program,
    args: [...args],
    folder,
    name: 'Notes',
  });
  return { ...world, page, kinds, record, added, appId: added.body.app?.appId };
}

describe('a program that is added on the page of the desktop', () => {
  it('shows its prompts and resources on the page, and starts after one card', async () => {
    const { page, kinds, added, appId } = await withProgram();
    expect(added).toMatchObject({ status: 200, body: { app: { manifest: { name: 'Notes' }, on: true } } });
    expect(kinds).toEqual(['local-connector']);
    const of = { appId, project: 'p' };
    expect((await page.call('prompts.list', of)).body.prompts.entries).toMatchObject([{ id: 'greet' }]);
    const filled = await page.call('prompts.get', { ...of, id: 'greet', arguments: { who: 'Ada' } });
    expect(filled.body.messages[0]).toEqual({ role: 'user', part: { type: 'text', text: 'Greet Ada' } });
    const { resources } = (await page.call('resources.list', of)).body;
    expect(resources.entries.map(({ uri }) => uri)).toContain('note://one');
    const read = await page.call('resources.read', { ...of, uri: 'note://pixel' });
    expect(read.body.parts[0]).toMatchObject({ type: 'file', mediaType: 'image/png' });
    const refused = await page.call('resources.read', { ...of, uri: 'note://long' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'too-large' } });
  });

  it('is refused when connectors are disabled, and for invalid requests', async () => {
    const world = await openWorld({ apps: [] });
    const { page, kinds } = await pageOf(world);
    expect(await page.call('connectors.addLocal', { url: 'http://localhost:1/mcp' })).toMatchObject({
      status: 422,
      body: { code: 'not-offered' },
    });
    const wrong = { command: 'x', url: 'http://localhost:1/mcp' } as { url: string };
    expect((await page.call('connectors.addLocal', wrong)).status).toBe(400);
    expect(kinds).toEqual([]);
  });

  it('is allowed and disallowed by the switch of the page without a restart, which ends the program and hides it from agents', async () => {
    const world = await openWorld({ apps: [] });
    const { command, record } = await testCommand('');
    const { page } = await pageOf(world);
    const { program, args, folder } = command;
    const request = { command: program, args: [...args], folder, name: 'Notes' };
    const agent = await connectAgent(world.agent);
    const offered = async () => (await agent.listPrompts()).prompts.length > 0;
    expect((await page.call('connectors.addLocal', request)).body.code).toBe('not-offered');
    await page.call('connectors.allowLocal', { on: true });
    expect((await page.call('client.show', {})).body.localConnectors).toBe(true);
    const { appId } = (await page.call('connectors.addLocal', request)).body.app;
    const of = { appId, project: 'p' };
    await page.call('prompts.list', of);
    const [pid = 0] = await pidsIn(record);
    expect([isAlive(pid), await offered()]).toEqual([true, true]);
    await page.call('connectors.allowLocal', { on: false });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect((await page.call('prompts.list', of)).body.code).toBe('not-installed');
    expect([world.runtime.library.get(appId), await offered()]).toEqual([null, false]);
    await page.call('connectors.allowLocal', { on: true });
    expect((await page.call('prompts.list', of)).status).toBe(200);
    expect(await offered()).toBe(true);
  });

  it('serves its prompts and resources to agents, under prefixed names and URIs', async () => {
    const { agent: to, appId, runtime, record, page } = await withProgram();
    const agent = await connectAgent(to);
    const { prompts } = await agent.listPrompts();
    expect(prompts).toMatchObject([{ title: 'greet', arguments: [{ name: 'who', required: true }] }]);
    const name = prompts[0]?.name ?? '';
    expect(name).toMatch(/^[\w-]{1,64}$/);
    const filled = await agent.getPrompt({ name, arguments: { who: 'Ada' } });
    expect(filled.messages[0]).toEqual({ role: 'user', content: { type: 'text', text: 'Greet Ada' } });
    expect(filled.messages[2]?.content).toMatchObject({ type: 'resource_link', uri: `${appId}+note://one` });
    const { resources } = await agent.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`${appId}+note://one`);
    const { resourceTemplates } = await agent.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: `${appId}+note://{name}` }]);
    const uri = `${appId}+note://one`;
    expect(await agent.readResource({ uri })).toMatchObject({ contents: [{ uri, text: 'Hello' }] });
    const pixel = await agent.readResource({ uri: `${appId}+note://pixel` });
    expect(pixel.contents[0]).toMatchObject({ mimeType: 'image/png', blob: expect.any(String) });
    for (const address of [
      'note://one',
      `${appId}note://one`,
      'com.example.notes+note://one',
      '+x',
      `${appId}+`,
    ]) {
      await expect(agent.readResource({ uri: address })).rejects.toThrow();
    }
    await expect(agent.readResource({ uri: `${appId}+note://long` })).rejects.toThrow('too-large');
    const { entries } = (await page.call('activity.list', { appId })).body;
    const read = { name: 'resources/read', asker: 'claude-code' };
    expect(entries[0]).toMatchObject({ ...read, outcome: 'too-large' });
    const detail = expect.stringMatching(/^note:\/\/pixel → \["pixel/);
    expect(entries).toContainEqual(expect.objectContaining({ ...read, outcome: 'answered', detail }));
    expect(entries.map(({ name }) => name)).toContain('prompts/get');
    await expect(agent.getPrompt({ name: `${name}x` })).rejects.toThrow('Unknown prompt');
    runtime.library.switch(appId, false);
    expect((await agent.listResources()).resources).toEqual([]);
    await expect(agent.readResource({ uri })).rejects.toThrow('Unknown resource');
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('cannot be added by an agent', async () => {
    const { agent: to } = await withProgram();
    const agent = await connectAgent(to);
    const { tools } = await agent.listTools();
    expect(tools.filter(({ name }) => /connector/i.test(name))).toEqual([]);
  });
});

describe('a connector with more tools than fit', () => {
  it('has those that are left out named where an agent lists apps and searches tools', async () => {
    const names = Array.from({ length: 204 }, (_, n) => `tool_${n}`);
    const invalid = 'x'.repeat(129);
    const many = await serveMcp(() => text('ok'), { tools: [...names, invalid].map((name) => ({ name })) });
    // Words of a server are not those of the client: this one lists all that it has.
    const few = await serveMcp(() => text('ok'), {
      tools: [{ name: 'few', description: 'Tools were left out.', inputSchema: { type: 'none' } }],
    });
    const world = await openWorld({ apps: [], localConnectors: true });
    const { page } = await pageOf(world);
    const add = async ({ url }: { url: string }) =>
      (await page.call('connectors.addLocal', { url })).body.app.appId;
    const [full, whole] = [await add(many), await add(few)];
    for (const appId of [full, whole]) await world.runtime.tools(appId, { project: 'p' });
    expect(world.runtime.toolsNow(whole, { project: 'p' })).toMatchObject({
      notListed: [],
      repairs: [expect.any(String)],
    });
    const { notListed, tools } = world.runtime.toolsNow(full, { project: 'p' });
    expect(tools.map(({ id }) => id)).toEqual(names.slice(0, 200));
    for (const left of names.slice(200)) expect(notListed.join()).toContain(JSON.stringify(left));
    expect(notListed).toHaveLength(2);

    const agent = await connectAgent(world.agent);
    const ask = async (name: string, args = {}) =>
      JSON.parse(textOf(await agent.callTool({ name, arguments: args })));
    const { apps } = await ask('list_apps');
    const byId = new Map<string, { tools: number }>(apps.map((one: { app: string }) => [one.app, one]));
    expect(byId.get(full)).toMatchObject({ tools: 200, notListed });
    expect(byId.get(whole)).toMatchObject({ tools: 1 });
    expect(byId.get(whole)).not.toHaveProperty('notListed');
    expect(await ask('find_tools', { query: 'tool_203' })).toMatchObject({ notListed });
  });
});
