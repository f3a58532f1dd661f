import { lastResults } from '@svc/testkit';
import { expect, it } from 'vitest';
import { openChat } from '../apps/desktop/test/support/chat-desktop.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { ADD, APP, connectAgent, openWorld, pageOf, TOOLS, textOf } from './support/gateway-world.ts';

const MCP_APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const PANEL_REQUEST = 'panel_request';
const CONTRIBUTES = {
  tools: [{ id: 'add_note', name: 'Add a note', description: 'Adds a note.' }],
  panels: [{ id: 'main', title: 'Notes', component: 'webview' as const }],
};
const ARGS = { title: 'Milk' };

/** A desktop with an app, and each way to call its tool. */
async function callers() {
  let calls = 0;
  const world = await openWorld({
    play: () => {
      calls += 1;
      return text('Added.');
    },
    server: { tools: TOOLS },
    apps: [{ contributes: CONTRIBUTES }],
    files: { 'ui/index.html': '<!doctype html><p>Notes</p>' },
  });
  const { page } = await pageOf(world);
  const [project] = world.desktop.settings.projects().filter(({ name }) => name === 'First');
  const id = project?.id ?? expect.fail('no project');
  const lists = { appId: APP, project: id };
  await page.call('tools.list', lists);
  const agent = await connectAgent(world.agent, { capabilities: { extensions: MCP_APPS } });
  await agent.listTools();
  const searching = await connectAgent(world.agent, { query: { tools: 'search' } });
  const chat = await openChat(
    world,
    (request) =>
      lastResults(request).length > 0 ? { text: ['ok'] } : { calls: [{ name: ADD, arguments: ARGS }] },
    { project: id },
  );
  const document = await agent.readResource({ uri: `ui://${APP}/main` });
  const [, key = ''] =
    /&quot;key&quot;:&quot;([^&]+)|"key":"([^"]+)"/.exec(JSON.stringify(document).replaceAll('\\', '')) ?? [];
  const shown = await page.call('panels.open', { ...lists, panelId: 'main', theme: 'light', locale: 'en' });
  const heard = await page.listen();
  let last = 100;
  const ways: Record<string, () => Promise<unknown>> = {
    'the tool runner': () => {
      last += 1;
      return page.call('tools.call', {
        ...lists,
        callId: `c${last}`,
        tool: 'add_note',
        arguments: ARGS,
        files: {},
      });
    },
    'a panel of the page': async () => {
      last += 1;
      const params = { name: 'add_note', arguments: ARGS };
      const message = { jsonrpc: '2.0', id: last, method: 'tools/call', params };
      const sent = await page.call('panels.send', { panel: shown.body.panel, text: JSON.stringify(message) });
      const isAnswer = (event: object) => JSON.stringify(event).includes(`\\"id\\":${last}`);
      if (sent.status === 200) await expect.poll(() => heard.some(isAnswer)).toBe(true);
    },
    'an agent': () => agent.callTool({ name: ADD, arguments: ARGS }),
    'an agent that searches': () =>
      searching.callTool({ name: 'call_tool', arguments: { name: ADD, arguments: ARGS } }),
    'a panel of the agent': () => {
      const request = { key, method: 'tools/call', params: { name: 'add_note', arguments: ARGS } };
      return agent.callTool({ name: PANEL_REQUEST, arguments: request });
    },
    'a conversation': () => chat.say('Go'),
  };
  return {
    ...{ world, page, agent, id, chat: chat.chat, key },
    /** The callers that reach the server. */
    async reaching(): Promise<string[]> {
      const reached: string[] = [];
      for (const [name, call] of Object.entries(ways)) {
        const before = calls;
        await call().catch(() => undefined);
        if (calls > before) reached.push(name);
      }
      return reached;
    },
  };
}

const ALL = [
  'the tool runner',
  'a panel of the page',
  'an agent',
  'an agent that searches',
  'a panel of the agent',
  'a conversation',
];

it('each switch stops the callers that it is for, and no other, whichever way they call', async () => {
  const { world, page, agent, id, chat, reaching } = await callers();
  expect(await reaching()).toEqual(ALL);
  const tool = { agent: 'claude-code', project: id, appId: APP, tool: 'add_note' } as const;
  await page.call('agents.switchTool', { ...tool, on: false });
  expect(await reaching()).toEqual(['the tool runner', 'a panel of the page', 'a conversation']);
  await page.call('agents.switchTool', { ...tool, on: true });
  await page.call('chats.change', { chat, off: [APP] });
  expect(await reaching()).toEqual(ALL.filter((name) => name !== 'a conversation'));
  await page.call('chats.change', { chat, off: [] });
  for (const project of [id, undefined]) {
    world.runtime.library.switch(APP, false, project);
    expect(await reaching()).toEqual([]);
    world.runtime.library.switch(APP, true, project);
  }
  // Its panels were closed with the app.
  expect(await reaching()).toEqual(ALL.filter((name) => !name.startsWith('a panel')));
  // What is refused says why, and lists have no more than calls.
  await page.call('agents.switchTool', { ...tool, on: false });
  const names = (await agent.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain(ADD);
  expect(textOf(await agent.callTool({ name: ADD, arguments: ARGS }))).toContain('unknown-tool');
});
