import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { openPage } from '../apps/desktop/test/support/test-desktop.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { ADD, APP, CLEAR, connectAgent, openWorld, TOOLS, textOf } from './support/gateway-world.ts';

const REVISION = '2026-07-28';

/** A request of MCP 2026-07-28 by hand, as hostile clients send it. */
async function post(
  { origin, bearer }: { origin: string; bearer: string },
  method: string,
  params: Record<string, unknown>,
  name?: string,
) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const response = await fetch(`${origin}/mcp?project=First`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  expect(response.headers.get('mcp-session-id')).toBeNull();
  return (await response.json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: results of any method
    result?: any;
    error?: { code: number; message: string };
  };
}

const answering = (answer: object, asked: string[] = []) =>
  ({
    revision: REVISION,
    asked,
    capabilities: { elicitation: {} },
    prepare: (client: Client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return answer as { action: 'accept' };
      }),
  }) as const;

describe('an agent of MCP 2026-07-28', () => {
  it('lists the same tools in the same order, calls them, and is asked between two requests', async () => {
    const { agent: to, mcp } = await openWorld({
      play: ({ message }) => text(`Did ${message.params.name}.`),
      server: { tools: TOOLS },
    });
    const yes = answering({ action: 'accept', content: { approve: true } });
    const agent = await connectAgent(to, yes);
    expect(agent.getNegotiatedProtocolVersion()).toBe(REVISION);
    const { tools } = await agent.listTools();
    const old = await connectAgent(to);
    expect(tools).toEqual((await old.listTools()).tools);
    expect(textOf(await agent.callTool({ name: ADD, arguments: { title: 'Leaf' } }))).toBe('Did add_note.');
    expect(textOf(await agent.callTool({ name: CLEAR, arguments: {} }))).toBe('Did clear.');
    expect(yes.asked).toHaveLength(1);
    const no = await connectAgent(to, answering({ action: 'decline' }));
    expect(textOf(await no.callTool({ name: CLEAR, arguments: {} }))).toContain('declined');
    expect(mcp.headersOf('tools/call')).toHaveLength(2);
  });

  it('is refused states that are changed, of another request, or used', async () => {
    const {
      agent: to,
      mcp,
      prompts,
    } = await openWorld({ play: () => text('Cleared.'), server: { tools: TOOLS } });
    const discovered = await post(to, 'server/discover', {});
    expect(discovered.result).toMatchObject({ supportedVersions: [REVISION] });
    expect((await post(to, 'tools/list', {})).result).toMatchObject({ ttlMs: 30_000, cacheScope: 'private' });
    const call = (rest: object) => post(to, 'tools/call', { name: CLEAR, arguments: {}, ...rest }, CLEAR);
    const first = await call({});
    expect(first.result).toMatchObject({ resultType: 'input_required' });
    const { requestState, inputRequests } = first.result;
    const [key = ''] = Object.keys(inputRequests);
    const yes = { [key]: { action: 'accept', content: { approve: true } } };
    const refused = { error: { code: -32602 } };
    expect(await call({ requestState: `${requestState.slice(0, -2)}AA`, inputResponses: yes })).toMatchObject(
      refused,
    );
    expect(
      await post(to, 'prompts/get', { name: 'x', requestState, inputResponses: yes }, 'x'),
    ).toMatchObject(refused);
    // Without the answer, the question comes again; an answer of another form is none.
    const again = await call({ requestState, inputResponses: { [key]: { text: 'yes' }, other: yes[key] } });
    expect(Object.keys(again.result.inputRequests)).toEqual([key]);
    expect(mcp.headersOf('tools/call')).toHaveLength(0);
    const done = await call({ requestState: again.result.requestState, inputResponses: yes });
    expect(textOf(done.result)).toBe('Cleared.');
    expect(await call({ requestState, inputResponses: yes })).toMatchObject(refused);
    expect(mcp.headersOf('tools/call')).toHaveLength(1);
    expect(prompts.waiting()).toEqual([]);
  });

  it('blocks no app with questions that it never answers: the first of many calls ends', async () => {
    const { agent: to, prompts } = await openWorld({
      play: () => text('Cleared.'),
      server: { tools: TOOLS },
    });
    const call = (rest: object) => post(to, 'tools/call', { name: CLEAR, arguments: {}, ...rest }, CLEAR);
    const states: { requestState: string; inputRequests: object }[] = [];
    for (let n = 0; n < 20; n += 1) states.push((await call({})).result);
    const yes = ({ requestState, inputRequests }: (typeof states)[number]) => ({
      requestState,
      inputResponses: Object.fromEntries(
        Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { approve: true } }]),
      ),
    });
    const [first, last] = [states[0] ?? expect.fail(), states.at(-1) ?? expect.fail()];
    expect(await call(yes(first))).toMatchObject({ error: { code: -32602 } });
    expect(textOf((await call(yes(last))).result)).toBe('Cleared.');
    expect(prompts.waiting()).toEqual([]);
  });

  it('is shown on the page, hears of changes, and is stopped there', async () => {
    const begun = Promise.withResolvers<void>();
    const world = await openWorld({
      server: { tools: TOOLS },
      play: () => {
        begun.resolve();
        return new Promise<never>(() => undefined);
      },
    });
    const page = await openPage(world);
    const agent = await connectAgent(world.agent, { revision: REVISION });
    const changed = vi.fn();
    agent.setNotificationHandler('notifications/tools/list_changed', changed);
    const listening = await agent.listen({ toolsListChanged: true });
    world.runtime.library.switch(APP, false);
    await eventually(() => expect(changed).toHaveBeenCalled());
    await listening.close();
    world.runtime.library.switch(APP, true);
    const slow = agent.callTool({ name: ADD, arguments: { title: 'slow' } });
    await begun.promise;
    const { sessions } = (await page.call('agents.sessions', {})).body;
    expect(sessions).toMatchObject([{ agent: 'claude-code', version: '1.0.0', calls: 1 }]);
    expect((await page.call('agents.end', { session: sessions[0]?.id ?? '' })).status).toBe(200);
    expect(textOf(await slow)).toContain('ended the session');
    const stop = new AbortController();
    const gone = agent.callTool({ name: ADD, arguments: {} }, { signal: stop.signal }).catch(() => 'gone');
    await sleep(50);
    stop.abort();
    expect(await gone).toBe('gone');
  });
});
