import { isRefusal } from '@svc/runtime';
import { describe, expect, it } from 'vitest';
import { openCalls, said } from '../packages/runtime/test/support/calls.ts';
import { type Exchange, event, json, serveMcp, text } from '../packages/runtime/test/support/mcp-server.ts';
import { connectAgent, openWorld, pageOf } from './support/gateway-world.ts';

type Era = 'modern' | 'legacy' | 'none';

const unknownMethod = { code: -32_601, message: 'Method not found' };

const discovered = {
  ...{ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
  ...{ ttlMs: 0, cacheScope: 'private' },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '1' } },
};
const initialized = {
  ...{ protocolVersion: '2025-11-25', capabilities: { tools: {} } },
  serverInfo: { name: 'old', version: '1' },
};

/** Whether a request is one of MCP 2026-07-28, which names its revision itself. */
const isModern = ({ message: { params } }: Exchange): boolean =>
  JSON.stringify(params ?? {}).includes('io.modelcontextprotocol/protocolVersion');

/** A server of which a test says with each message which era it speaks; each era has a tool of its own. */
function serverOf(eraOf: (exchange: Exchange) => Era) {
  const toolsIn = (era: Era) =>
    [`${era}_tool`, 'plain'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  return {
    before(exchange: Exchange): boolean {
      const { message, response } = exchange;
      const { id, method } = message;
      if (id === undefined) return false;
      const era = eraOf(exchange);
      const opening = { modern: 'server/discover', legacy: 'initialize', none: '' }[era];
      const results: Readonly<Record<string, object>> = {
        [opening]: era === 'modern' ? discovered : initialized,
        'tools/list': { ...discovered, tools: toolsIn(era) },
      };
      const isOfEra = era === (isModern(exchange) ? 'modern' : 'legacy');
      if (isOfEra && method === 'tools/call') return false;
      const result = isOfEra ? results[method] : undefined;
      const body = { jsonrpc: '2.0', id, ...(result ? { result } : { error: unknownMethod }) };
      json(response, body, result ? 200 : 400);
      return true;
    },
  };
}

const answers = () => ({ resultType: 'complete', ...text('ok') });

const methodsOf = ({ asked }: { asked: readonly Exchange[] }) => asked.map(({ message }) => message.method);

describe('a server that changes its era', () => {
  it('and answers both differently is asked in one of them alone, whose tools are its tools', async () => {
    const source = { kind: 'connector', url: 'https://mcp.example.com/', isLocal: false } as const;
    const { calls, app, mcp } = await openCalls(answers, {
      app: { source },
      deps: { loopbackOf: () => true },
      server: serverOf((exchange) => (isModern(exchange) ? 'modern' : 'legacy')),
    });
    for (let round = 0; round < 3; round += 1) {
      expect((await calls.tools(app)).map(({ id }) => id)).toEqual(['modern_tool', 'plain']);
      await calls.close(app.appId);
    }
    const eras = new Set(mcp.asked.map((exchange) => isModern(exchange)));
    expect(eras).toEqual(new Set([true]));
    expect(methodsOf(mcp)).not.toContain('initialize');
  });

  it.each([
    ['modern', 'legacy'],
    ['legacy', 'modern'],
  ] as const)('from %s to %s between two sessions is called in its new one', async (first, then) => {
    let era: Era = first;
    const { call, calls, app } = await openCalls(answers, { server: serverOf(() => era) });
    expect(await call('plain')).toEqual(said('ok'));
    await calls.close(app.appId);
    era = then;
    expect(await call('plain')).toEqual(said('ok'));
    await calls.close(app.appId);
    era = first;
    expect(await call('plain')).toEqual(said('ok'));
  });

  it.each([
    ['modern', 'legacy'],
    ['legacy', 'modern'],
  ] as const)(
    'from %s to %s within a session loses at most the calls of that session',
    async (first, then) => {
      let era: Era = first;
      const { call, calls, app, mcp } = await openCalls(answers, { server: serverOf(() => era) });
      expect(await call('plain')).toEqual(said('ok'));
      era = then;
      const before = mcp.asked.length;
      const outcome = await call('plain').then(
        () => 'answered',
        (error: unknown) => (isRefusal(error, 'server-failed') ? 'refused' : String(error)),
      );
      expect(['answered', 'refused']).toContain(outcome);
      // It is not asked for ever.
      expect(mcp.asked.length - before).toBeLessThan(8);
      await calls.close(app.appId);
      expect(await call('plain')).toEqual(said('ok'));
    },
  );

  it('with every message is given up after a few of them', async () => {
    let flips = 0;
    const { call, mcp } = await openCalls(answers, {
      server: serverOf((exchange) => {
        flips += 1;
        // Always the era that it is not asked in.
        return isModern(exchange) ? 'legacy' : 'modern';
      }),
    });
    await expect(call('plain')).rejects.toSatisfy((error) => isRefusal(error, 'server-failed'));
    expect(flips).toBeLessThan(8);
    expect(mcp.asked.length).toBe(flips);
  });
});

describe('a flood of the log of a connector', () => {
  it('reaches an agent at a limited rate, and delays neither its call nor those of another', async () => {
    const FLOOD = 2_000;
    const loud = await serveMcp(
      ({ response, message }) => {
        for (let n = 0; n < FLOOD; n += 1)
          event(response, {
            ...{ jsonrpc: '2.0', method: 'notifications/message' },
            params: { level: 'error', data: `line ${n}` },
          });
        event(response, { jsonrpc: '2.0', id: message.id, result: text('loud') });
        return undefined;
      },
      { tools: [{ name: 'shout' }] },
    );
    const quiet = await serveMcp(() => text('quiet'), { tools: [{ name: 'whisper' }] });
    const world = await openWorld({ apps: [], localConnectors: true });
    const { page } = await pageOf(world);
    for (const { url } of [loud, quiet]) {
      const { appId } = (await page.call('connectors.addLocal', { url })).body.app;
      await world.runtime.tools(appId, { project: 'p' });
    }
    const logged: string[] = [];
    const agent = await connectAgent(world.agent, {
      prepare: (client) =>
        client.setNotificationHandler(
          'notifications/message',
          ({ params }) => void logged.push(String(params.data)),
        ),
    });
    const { tools } = await agent.listTools();
    const call = (tool: string) =>
      agent.callTool({
        name: tools.find(({ name }) => name.endsWith(`__${tool}`))?.name ?? '',
        arguments: {},
      });
    const results = await Promise.all([call('shout'), call('whisper')]);
    expect(results).toMatchObject([{ content: [{ text: 'loud' }] }, { content: [{ text: 'quiet' }] }]);
    expect(logged.length).toBeLessThan(FLOOD / 10);
    // The first lines say what happens.
    expect(logged[0]).toContain('line 0');
  });
});

describe('a queue whose caller is gone', () => {
  it('is not worked through: what the agents that ended had waiting never reaches the server', async () => {
    const held: (() => void)[] = [];
    const names: unknown[] = [];
    const { url } = await serveMcp(
      ({ message, response }) => {
        names.push(message.params.arguments?.from);
        held.push(() => json(response, { jsonrpc: '2.0', id: message.id, result: text('done') }));
        return undefined;
      },
      { tools: [{ name: 'slow' }] },
    );
    const world = await openWorld({ apps: [], localConnectors: true });
    const { page } = await pageOf(world);
    const { appId } = (await page.call('connectors.addLocal', { url })).body.app;
    await world.runtime.tools(appId, { project: 'p' });
    const [gone, other] = [await connectAgent(world.agent), await connectAgent(world.agent)];
    const name = (await gone.listTools()).tools.find((one) => one.name.endsWith('__slow'))?.name ?? '';
    const from = (agent: typeof gone, who: string) =>
      agent.callTool({ name, arguments: { from: who } }).then(
        () => who,
        () => 'ended',
      );
    const first = Array.from({ length: 40 }, () => from(gone, 'gone'));
    // As many as an app runs at the same time; the others wait.
    await expect.poll(() => names.length).toBe(16);
    const last = from(other, 'other');
    await page.call('agents.end', {
      session: (await page.call('agents.sessions', {})).body.sessions.at(-1)?.id ?? '',
    });
    await expect.poll(() => names).toContain('other');
    for (const answer of held) answer();
    expect(await last).toBe('other');
    await gone.close();
    expect(new Set(await Promise.all(first))).toEqual(new Set(['ended']));
    expect(names.filter((who) => who === 'gone')).toHaveLength(16);
  });
});
