import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import { openPage } from '../apps/desktop/test/support/test-desktop.ts';
import { ADD, APP, connectAgent, openWorld, TOOLS } from './support/gateway-world.ts';

describe('the gateway', () => {
  it('refuses requests without the bearer token, from another site, or for unknown sessions', async () => {
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
    expect(await ask({ authorization, accept: '*/*' })).toBe(200);
    expect(await ask({ authorization, accept: 'application/json' })).toBe(406);
  });

  it('lists connected agents on the page, and cancels the calls of one', async () => {
    const begun = Promise.withResolvers<void>();
    const { promise: never } = Promise.withResolvers<never>();
    const world = await openWorld({
      server: { tools: TOOLS },
      play({ message: { params } }) {
        if (params.arguments?.title !== 'slow') return { content: [] };
        begun.resolve();
        return never;
      },
    });
    const page = await openPage(world);
    const heard = await page.listen();
    const sessions = async () => (await page.call('agents.sessions', {})).body.sessions;
    expect(await sessions()).toEqual([]);
    const agent = await connectAgent(world.agent, { name: 'desktop' });
    await eventually(() => expect(heard).toContainEqual({ type: 'agents' }));
    // No agent is treated as the page.
    expect(await sessions()).toMatchObject([
      { agent: 'agent desktop', version: '1.0.0', calls: 0, lastCall: null, scope: null },
    ]);
    await agent.callTool({ name: ADD, arguments: { title: 'Leaf' } });
    const [one = expect.fail()] = await sessions();
    expect(one).toMatchObject({
      calls: 1,
      lastCall: { appId: APP, tool: 'Add a note' },
      scope: { project: 'First', searched: false, apps: [{ appId: APP }] },
    });
    expect(JSON.stringify(one)).not.toContain(world.agent.bearer);
    const slow = agent.callTool({ name: ADD, arguments: { title: 'slow' } }).catch(() => 'failed');
    await begun.promise;
    expect((await page.call('agents.end', { session: one.id })).status).toBe(200);
    expect(await sessions()).toEqual([]);
    await eventually(() =>
      expect(heard.filter(({ type }) => type === 'call-log')).toMatchObject([
        { outcome: 'answered' },
        { outcome: expect.not.stringMatching('answered') },
      ]),
    );
    await agent.close();
    await slow;
    expect((await page.call('agents.end', { session: one.id })).status).toBe(404);
  });

  it('ends the least recently used session when the limit is reached', async () => {
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
    // Some agents write null for what they leave out.
    for (const params of [null, { name: 'list_apps', arguments: null, _meta: null }]) {
      const response = await ask({ method: params ? 'tools/call' : 'tools/list', params }, first);
      expect(await response.text()).toContain('"result"');
    }
    await begin();
    expect(await ping(second)).toBe(404);
    expect(await ping(first)).toBe(200);
    // A first request other than initialize creates no session, and does not count towards the limit.
    expect((await ask({ method: 'tools/list' })).status).toBe(400);
    expect(await ping(first)).toBe(200);
  });
});
