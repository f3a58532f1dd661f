import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { openPage } from '../apps/desktop/test/support/test-desktop.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { connectAgent, openWorld, textOf } from './support/gateway-world.ts';

const ADD = 'com_example_notes__add_note';
const CLEAR = 'com_example_notes__clear';

type World = Awaited<ReturnType<typeof openWorld>>;

/** A desktop with an app with one tool that needs approval, and its page. */
async function started(gateway?: NonNullable<Parameters<typeof openWorld>[0]['gateway']>) {
  const world = await openWorld({
    play: () => text('Done.'),
    server: { tools: [{ name: 'add_note' }, { name: 'clear' }] },
    ...(gateway && { gateway }),
  });
  const port = Number(new URL(world.origin).port);
  return { world, port, page: await openPage({ opened: world.opened, port }) };
}

/** An agent that accepts every dialog, and the recorded requests. */
async function acceptingAgent({ agent }: World, name = 'claude-code', query: Record<string, string> = {}) {
  const asked: unknown[] = [];
  const client = await connectAgent(agent, {
    ...{ name, query, capabilities: { elicitation: {} } },
    prepare: (one) =>
      one.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params);
        return { action: 'accept', content: { approve: true } };
      }),
  });
  return { client, asked };
}

/** Calls the tool that needs approval; the page declines. @returns where the approval was requested, and whether the call failed */
async function callWithApproval(
  { prompts }: World,
  { client, asked }: Awaited<ReturnType<typeof acceptingAgent>>,
) {
  asked.length = 0;
  const calling = client.callTool({ name: CLEAR, arguments: {} });
  await eventually(() => expect(prompts.waiting().length + asked.length).toBe(1));
  const [card] = prompts.waiting();
  if (card) prompts.answer(card.id, { accepted: false });
  const { isError = false } = await calling;
  return card ? { on: 'page', isError } : { on: 'agent', isError };
}

const ON_PAGE = { on: 'page', isError: true };
const IN_AGENT = { on: 'agent', isError: false };

describe('the settings for agents', () => {
  it('applies immediately, also to open sessions, and per agent', async () => {
    const { world, page } = await started();
    const [claude, cursor] = [await acceptingAgent(world), await acceptingAgent(world, 'cursor')];
    expect(await callWithApproval(world, claude)).toEqual(IN_AGENT);
    const own = { approvals: 'page', tools: null } as const;
    expect((await page.call('agents.saveFor', { agent: 'claude-code', ...own })).body).toMatchObject({
      agents: { 'claude-code': own },
    });
    expect(await callWithApproval(world, claude)).toEqual(ON_PAGE);
    expect(await callWithApproval(world, cursor)).toEqual(IN_AGENT);
    // Only one of its two names is claude-code: the stricter settings apply.
    expect(
      await callWithApproval(world, await acceptingAgent(world, 'claude-code', { provider: 'cursor' })),
    ).toEqual(ON_PAGE);
    await page.call('agents.saveForAll', { approvals: 'page', tools: 'auto', searchFrom: 60 });
    expect(await callWithApproval(world, cursor)).toEqual(ON_PAGE);
  });

  it('selects whether tools are listed or searched, unless the URL of the agent does', async () => {
    const { world, page } = await started();
    const changed = vi.fn();
    const client = await connectAgent(world.agent, {
      prepare: (one) => one.setNotificationHandler('notifications/tools/list_changed', changed),
    });
    const listed = async (one = client) => (await one.listTools()).tools.some(({ name }) => name === ADD);
    expect(await listed()).toBe(true);
    await page.call('agents.saveForAll', { approvals: 'agent', tools: 'search', searchFrom: 60 });
    await eventually(() => expect(changed).toHaveBeenCalled());
    expect(await listed()).toBe(false);
    expect(await listed(await connectAgent(world.agent, { query: { tools: 'all' } }))).toBe(true);
    await page.call('agents.saveFor', { agent: 'claude-code', approvals: null, tools: 'all' });
    expect(await listed()).toBe(true);
    expect(await listed(await connectAgent(world.agent, { name: 'codex' }))).toBe(false);
    // The number from which they are searched is the user's.
    await page.call('agents.saveFor', { agent: 'claude-code', approvals: null, tools: null });
    await page.call('agents.saveForAll', { approvals: 'agent', tools: 'auto', searchFrom: 3 });
    expect(await listed()).toBe(true);
    await page.call('agents.saveForAll', { approvals: 'agent', tools: 'auto', searchFrom: 1 });
    expect(await listed()).toBe(false);
  });

  it('switches a tool off for one agent in one project: it is not listed, and a call does not find it', async () => {
    const { world, page } = await started();
    const [client, other] = [
      await connectAgent(world.agent),
      await connectAgent(world.agent, { name: 'cursor' }),
    ];
    const names = async (one = client) => (await one.listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain(ADD);
    const sessions = async () => (await page.call('agents.sessions', {})).body.sessions;
    const scope = (await sessions()).find(({ agent }) => agent === 'claude-code')?.scope;
    expect(scope?.tokens).toBeGreaterThan(50);
    const tool = { agent: 'claude-code', project: scope?.projectId ?? '', tool: 'add_note' } as const;
    const off = { ...tool, appId: 'com.example.notes' };
    await page.call('agents.switchTool', { ...off, on: false });
    expect(await names()).not.toContain(ADD);
    expect(textOf(await client.callTool({ name: ADD, arguments: {} }))).toContain('unknown-tool');
    expect(await names(other)).toContain(ADD);
    expect(
      (await sessions()).find(({ agent }) => agent === 'claude-code')?.scope?.apps[0]?.tools,
    ).toContainEqual(expect.objectContaining({ id: 'add_note', on: false }));
    await page.call('agents.switchTool', { ...off, on: true });
    expect(await names()).toContain(ADD);
  });

  it('is overridden by the options of the desktop, and the page shows it', async () => {
    const { world, page } = await started({ approvals: 'page' });
    expect((await page.call('agents.settings', {})).body).toMatchObject({ started: 'page', fault: null });
    const agent = await acceptingAgent(world);
    expect(await callWithApproval(world, agent)).toEqual(ON_PAGE);
    const saved = await page.call('agents.saveForAll', { approvals: 'agent', tools: 'auto', searchFrom: 60 });
    expect(saved.body).toMatchObject({ all: { approvals: 'agent' }, started: 'page' });
    expect(await callWithApproval(world, agent)).toEqual(ON_PAGE);
  });

  it('asks for everything on the page when the file is corrupt, and the page says what to do', async () => {
    const { world, page } = await started();
    const agent = await acceptingAgent(world);
    expect(await callWithApproval(world, agent)).toEqual(IN_AGENT);
    await writeFile(path.join(world.own, 'agent-settings.json'), '{"version":1,"all":{"appro');
    expect(await callWithApproval(world, agent)).toEqual(ON_PAGE);
    expect((await page.call('agents.settings', {})).body).toMatchObject({
      all: { approvals: 'page' },
      fault: expect.stringContaining('Until you reset them'),
    });
    await page.call('agents.saveForAll', { approvals: 'agent', tools: 'auto', searchFrom: 60 });
    expect(await callWithApproval(world, agent)).toEqual(IN_AGENT);
  });
});

describe('changing the settings for agents', () => {
  it('is refused to agents', async () => {
    const { world, page, port } = await started();
    await page.call('agents.saveForAll', { approvals: 'page', tools: 'auto', searchFrom: 60 });
    const loose = { approvals: 'agent', tools: 'auto', searchFrom: 60 };
    const { client } = await acceptingAgent(world);
    for (const name of ['agents.saveForAll', 'save_for_all', 'settings'])
      expect(await client.callTool({ name, arguments: loose })).toMatchObject({ isError: true });
    const inside = { name: 'agents.saveForAll', arguments: loose };
    expect(await client.callTool({ name: 'call_tool', arguments: inside })).toMatchObject({ isError: true });
    // Its bearer token is not valid for calls of a page, and its URL cannot set approvals.
    const answer = await fetch(`http://127.0.0.1:${port}/api/agents.saveForAll`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.agent.bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(loose),
    });
    expect(answer.status).toBe(401);
    const insists = await acceptingAgent(world, 'claude-code', { approvals: 'agent' });
    expect(await callWithApproval(world, insists)).toEqual(ON_PAGE);
    // No file of that folder can be passed to an app.
    const file = path.join(world.own, 'agent-settings.json');
    const handed = await client.callTool({ name: ADD, arguments: { attachment: file } });
    expect([handed.isError, textOf(handed)]).toEqual([true, expect.stringContaining('project')]);
    expect((await page.call('agents.settings', {})).body.all.approvals).toBe('page');
  });

  it('is not possible by name: an agent with the name of the page is shown as an agent', async () => {
    const { world, page } = await started({ approvals: 'page' });
    for (const name of ['desktop', ' Desktop ', 'desk\u200btop']) {
      const calling = (await acceptingAgent(world, name)).client.callTool({ name: CLEAR, arguments: {} });
      await eventually(() => expect(world.prompts.waiting()).toHaveLength(1));
      const [card] = world.prompts.waiting();
      expect(card?.asker.toLowerCase()).toBe('agent desktop');
      world.prompts.answer(card?.id ?? '', { accepted: false });
      await calling;
    }
    const { entries } = (await page.call('activity.list', {})).body;
    expect(entries.map(({ asker }) => asker?.toLowerCase())).toEqual(Array(3).fill('agent desktop'));
  });

  it('is refused to other sites, and with invalid values', async () => {
    const { page, port } = await started();
    const send = (headers: Record<string, string>, body: unknown) =>
      fetch(`http://127.0.0.1:${port}/api/agents.saveForAll`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }).then(({ status }) => status);
    const loose = { approvals: 'agent', tools: 'all', searchFrom: 60 };
    const bearer = { authorization: `Bearer ${page.bearer}` };
    expect(await send({}, loose)).toBe(401);
    expect(await send({ ...bearer, origin: 'https://evil.example' }, loose)).toBe(403);
    expect(await send({ ...bearer, 'sec-fetch-site': 'same-site' }, loose)).toBe(403);
    expect(await send({ ...bearer, 'content-type': 'text/plain' }, loose)).toBe(415);
    for (const wrong of [
      {},
      { ...loose, approvals: 'none' },
      { ...loose, more: 1 },
      { ...loose, searchFrom: 0 },
      { approvals: 'agent' },
    ])
      expect(await send(bearer, wrong)).toBe(400);
    const forOne = page.call as (name: string, input: unknown) => Promise<{ status: number }>;
    for (const wrong of [
      { agent: '__proto__', approvals: 'page', tools: null },
      { agent: 'codex', approvals: 'agent', tools: null },
    ])
      expect((await forOne('agents.saveFor', wrong)).status).toBe(400);
    expect((await page.call('agents.settings', {})).body).toEqual({
      ...{
        all: { approvals: 'agent', tools: 'auto', searchFrom: 60 },
        agents: {},
        started: null,
        fault: null,
        askAboutTools: false,
      },
    });
    expect(await send(bearer, loose)).toBe(200);
  });
});
