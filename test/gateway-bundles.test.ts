import { expect, it, vi } from 'vitest';
import { testCommand } from '../packages/runtime/test/support/local-connectors.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { ADD, APP, CLEAR, connectAgent, openWorld, pageOf, TOOLS, textOf } from './support/gateway-world.ts';

const MCP_APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const OWN = ['list_apps', 'connect_account'];
const PLAIN = { name: null, title: null, description: null };
const NOTE = { name: 'keep_note', title: 'Keep a note', description: 'Keeps a note of the garden.' };

/** An app with two tools and a panel, a connector with prompts and resources, and the calls that reach the app's server. */
async function opened() {
  const called: string[] = [];
  const world = await openWorld({
    play: ({ message }) => {
      called.push(message.params?.name ?? '');
      return text('Done.');
    },
    server: { tools: TOOLS },
    apps: [
      {
        contributes: {
          tools: ['add_note', 'clear'].map((id) => ({ id, name: id, description: `Does ${id}.` })),
          panels: [{ id: 'main', title: 'Notes', component: 'webview' as const }],
        },
      },
    ],
    files: { 'ui/index.html': '<!doctype html><p>Notes</p>' },
    localConnectors: true,
  });
  const { page } = await pageOf(world);
  const { command } = await testCommand('');
  const { program, args, folder } = command;
  const request = { command: program, args: [...args], folder, name: 'Notes' };
  const { appId: connector } = (await page.call('connectors.addLocal', request)).body.app;
  const [project] = world.desktop.settings.projects().filter(({ name }) => name === 'First');
  const id = project?.id ?? expect.fail('no project');
  await Promise.all([APP, connector].map((appId) => page.call('tools.list', { appId, project: id })));
  const save = (name: string, apps: object[], earlier = '') =>
    page.call('agents.saveBundle', { bundle: { name, apps: apps as never }, earlier });
  return { world, page, called, connector, project: id, save };
}

const whole = (appId: string) => ({ appId, whole: true, tools: [] });
const namesFor = async (agent: Awaited<ReturnType<typeof connectAgent>>) =>
  (await agent.listTools()).tools.map(({ name }) => name);

it.each(['2025-11-25', '2026-07-28'] as const)(
  'a bundle offers the chosen tools alone, under the names and words of the user, at its own address (%s)',
  async (era) => {
    const { world, called, connector, save } = await opened();
    const tools = [{ tool: 'add_note', ...NOTE }];
    expect((await save('garden', [{ appId: APP, whole: false, tools }])).status).toBe(200);
    const revision = era === '2026-07-28' ? { revision: era } : {};
    const agent = await connectAgent(world.agent, { query: { bundle: 'garden' }, ...revision });
    const listed = (await agent.listTools()).tools.filter(({ name }) => !OWN.includes(name));
    expect(listed).toMatchObject([NOTE]);
    expect(textOf(await agent.callTool({ name: NOTE.name, arguments: { title: 'Milk' } }))).toBe('Done.');
    // Neither its former name, nor another tool of the app, nor another app, in any way.
    for (const name of [ADD, CLEAR])
      expect(textOf(await agent.callTool({ name, arguments: {} }))).toContain('unknown-tool');
    expect(called).toEqual(['add_note']);
    expect(JSON.parse(textOf(await agent.callTool({ name: 'list_apps', arguments: {} })))).toMatchObject({
      apps: [{ app: APP, tools: 1 }],
    });
    expect((await agent.listPrompts()).prompts).toEqual([]);
    expect((await agent.listResources()).resources).toEqual([]);
    await expect(agent.readResource({ uri: `${connector}+note://one` })).rejects.toThrow('Unknown resource');
    const searching = await connectAgent(world.agent, {
      query: { bundle: 'garden', tools: 'search' },
      ...revision,
    });
    const find = async (query: string) =>
      JSON.parse(textOf(await searching.callTool({ name: 'find_tools', arguments: { query } }))).tools;
    expect(await find('garden')).toMatchObject([NOTE]);
    expect(await find('')).toHaveLength(1);
    const through = async (name: string) =>
      textOf(await searching.callTool({ name: 'call_tool', arguments: { name, arguments: { title: 'x' } } }));
    expect([await through(NOTE.name), await through(CLEAR)]).toEqual([
      'Done.',
      expect.stringContaining('unknown-tool'),
    ]);
  },
);

it('a whole app comes with its panels, prompts and resources; some of its tools come without', async () => {
  const { world, connector, save, page } = await opened();
  await save('all', [whole(APP), whole(connector)]);
  const tools = (await page.call('tools.known', { appId: connector, project: 'p' })).body.tools;
  const some = [{ tool: tools[0]?.id ?? expect.fail('no tool'), ...PLAIN }];
  await save('some', [
    { appId: APP, whole: false, tools: [{ tool: 'clear', ...PLAIN }] },
    { appId: connector, whole: false, tools: some },
  ]);
  const capabilities = { extensions: MCP_APPS };
  const offered = async (bundle: string) => {
    const agent = await connectAgent(world.agent, { capabilities, query: { bundle } });
    const uris = (await agent.listResources()).resources.map(({ uri }) => uri);
    const [prompt] = (await agent.listPrompts()).prompts;
    const names = await namesFor(agent);
    return {
      panel: uris.includes(`ui://${APP}/main`),
      note: uris.includes(`${connector}+note://one`),
      prompt: prompt !== undefined,
      tools: [ADD, CLEAR].filter((name) => names.includes(name)),
    };
  };
  expect(await offered('all')).toEqual({ panel: true, note: true, prompt: true, tools: [ADD, CLEAR] });
  expect(await offered('some')).toEqual({ panel: false, note: false, prompt: false, tools: [CLEAR] });
});

it('a change of the bundle applies to open sessions, which hear of it; one that is gone offers nothing', async () => {
  const { world, page, called, save } = await opened();
  await save('garden', [whole(APP)]);
  const changed = vi.fn();
  const agent = await connectAgent(world.agent, {
    query: { bundle: 'garden' },
    prepare: (one) => one.setNotificationHandler('notifications/tools/list_changed', changed),
  });
  expect(await namesFor(agent)).toEqual(expect.arrayContaining([ADD, CLEAR]));
  const { sessions } = (await page.call('agents.sessions', {})).body;
  expect(sessions.map(({ scope }) => scope?.bundle)).toContain('garden');
  await save('garden', [{ appId: APP, whole: false, tools: [{ tool: 'clear', ...PLAIN }] }], 'garden');
  await expect.poll(() => changed.mock.calls.length).toBeGreaterThan(0);
  expect(textOf(await agent.callTool({ name: ADD, arguments: { title: 'x' } }))).toContain('unknown-tool');
  await page.call('agents.removeBundle', { name: 'garden' });
  expect(textOf(await agent.callTool({ name: CLEAR, arguments: {} }))).toContain('unknown-tool');
  expect(await namesFor(agent)).toEqual(OWN);
  expect(called).toEqual([]);
  await expect(connectAgent(world.agent, { query: { bundle: 'garden' } })).rejects.toThrow(
    'Unknown bundle. Bundles: none.',
  );
});

it('a name that the user gave goes to one tool, also after it was given to another', async () => {
  const { world, called, save } = await opened();
  const named = (tool: string) => [{ appId: APP, whole: true, tools: [{ tool, ...PLAIN, name: 'do_it' }] }];
  await save('garden', named('add_note'));
  const agent = await connectAgent(world.agent, { query: { bundle: 'garden' } });
  const doIt = () => agent.callTool({ name: 'do_it', arguments: { title: 'x' } });
  await doIt();
  await save('garden', named('clear'), 'garden');
  await doIt();
  expect(called).toEqual(['add_note', 'clear']);
});

it('what cannot be a bundle is refused in words that say why', async () => {
  const { page, save } = await opened();
  const renamed = (...names: string[]) => [
    { appId: APP, whole: true, tools: names.map((name, n) => ({ tool: `t${n}`, ...PLAIN, name })) },
  ];
  const refusals: [string, object[], string][] = [
    ['Garden', [whole(APP)], 'lowercase letters'],
    ['a', [], 'Choose an app.'],
    ['a', [whole(APP), whole(APP)], 'An app is there twice.'],
    ['a', [{ ...whole(APP), whole: false }], 'Choose a tool of each app.'],
    ['a', renamed('same', 'same'), 'Two tools have the same name.'],
    ['a', renamed('list_apps'), 'svc itself has a tool of this name.'],
    ['a', renamed('call_tool'), 'svc itself'],
    ['a', renamed('panel_request'), 'svc itself'],
    ['a', renamed('com_example_notes__add_note'), 'single "_"'],
    ['a', renamed('jot ✓'), '1 to 64 letters'],
  ];
  for (const [name, apps, words] of refusals) {
    const { status, body } = await save(name, apps);
    expect([name, status, JSON.stringify(body)]).toEqual([
      name,
      400,
      expect.stringContaining(JSON.stringify(words).slice(1, -1)),
    ]);
  }
  await save('taken', [whole(APP)]);
  expect((await save('taken', [whole(APP)])).status).toBe(409);
  expect((await page.call('agents.bundles', {})).body.bundles.map(({ name }) => name)).toEqual(['taken']);
});
