import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { eventually } from '@svc/testkit/eventually';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bridge, type GatewayEndpoint, SESSION_REVISIONS } from '../../src/gateway/bridge.ts';
import { openKnownLists } from '../../src/gateway/known-lists.ts';
import { CAPABILITIES, NAME } from '../../src/gateway/meta-tools.ts';

type Message = { id?: number | string; method?: string; result?: Record<string, unknown>; error?: object };

/** A desktop that lists one tool, in both eras. */
function desktop(tool: string) {
  const serverOf = () => {
    const server = new Server(NAME, { capabilities: CAPABILITIES });
    server.setRequestHandler('tools/list', () => ({
      tools: [{ name: tool, inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler('tools/call', async (_request, { mcpReq: { signal } }) => {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return { content: [] };
    });
    return server;
  };
  const stateless = createMcpHandler(serverOf, { legacy: 'reject' });
  const cancelled = vi.fn();
  let transport: WebStandardStreamableHTTPServerTransport | null = null;
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    init?.signal?.addEventListener('abort', cancelled);
    if (!(await isLegacyRequest(request))) return stateless.fetch(request);
    if (!transport) {
      transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
      await serverOf().connect(transport);
    }
    return transport.handleRequest(request);
  };
  return { cancelled, endpoint: { url: 'http://localhost/mcp', bearer: 'b', fetch } as GatewayEndpoint };
}

const newFolder = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bridge-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** An agent at the standard streams of a gateway. */
function agent(folder: string, connect: () => Promise<GatewayEndpoint>, waitMs?: number) {
  const stopping = new AbortController();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const warned: string[] = [];
  const got: Message[] = [];
  output.on('data', (chunk) => {
    for (const line of String(chunk).split('\n').filter(Boolean)) got.push(JSON.parse(line));
  });
  const over = bridge({
    ...{ input, output, connect, lists: openKnownLists(folder, 'project=x') },
    warn: (line) => void warned.push(line),
    stopped: stopping.signal,
    ...(waitMs !== undefined && { waitMs }),
  });
  onTestFinished(async () => {
    input.end();
    await over;
  });
  const say = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    ...{ got, warned, say, input, over },
    stop: () => stopping.abort(),
    initialize(protocolVersion = '2025-06-18') {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      say({ id: 0, method: 'initialize', params });
      say({ method: 'notifications/initialized' });
    },
    answer: (id: number | string) =>
      eventually(() => got.find((message) => message.id === id) ?? expect.fail('no answer')),
  };
}

const toolsIn = ({ result = {} }: Message) => (result.tools as { name: string }[]).map(({ name }) => name);

it('knows the revisions with sessions of the library', () => {
  expect(SESSION_REVISIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS.filter((name) => name < '2026'));
});

it('answers initialize and the last known list before a desktop runs, and says when the list is another one', async () => {
  const folder = newFolder();
  const first = agent(folder, async () => desktop('old').endpoint);
  first.initialize();
  first.say({ id: 1, method: 'tools/list' });
  expect(toolsIn(await first.answer(1))).toEqual(['old']);
  const kept = path.join(folder, 'gateway-lists.json');
  await eventually(() => expect(statSync(kept).mode & 0o777).toBe(0o600));

  const starting = Promise.withResolvers<GatewayEndpoint>();
  const next = agent(folder, () => starting.promise);
  next.initialize();
  expect(await next.answer(0)).toMatchObject({
    result: { protocolVersion: '2025-06-18', serverInfo: NAME, capabilities: CAPABILITIES },
  });
  next.say({ id: 1, method: 'tools/list' });
  expect(toolsIn(await next.answer(1))).toEqual(['old']);
  expect(next.got).toHaveLength(2);
  starting.resolve(desktop('new').endpoint);
  await eventually(() =>
    expect(next.got).toContainEqual(expect.objectContaining({ method: 'notifications/tools/list_changed' })),
  );
  next.say({ id: 2, method: 'tools/list' });
  expect(toolsIn(await next.answer(2))).toEqual(['new']);
  // A revision that is not known gets the newest with sessions.
  const odd = agent(folder, () => starting.promise);
  odd.initialize('2099-01-01');
  expect(await odd.answer(0)).toMatchObject({ result: { protocolVersion: SESSION_REVISIONS[0] } });
});

it('answers each request with the error of a desktop that does not start, and tries again', async () => {
  const started = desktop('found').endpoint;
  let tries = 0;
  const { initialize, say, answer, warned, got } = agent(newFolder(), async () => {
    tries += 1;
    if (tries < 3) throw new Error('svc desktop did not start.');
    return started;
  });
  initialize();
  expect(await answer(0)).toHaveProperty('result');
  say({ id: 1, method: 'tools/list' });
  expect(await answer(1)).toMatchObject({ error: { message: 'svc desktop did not start.' } });
  say({ id: 2, method: 'tools/list' });
  expect(toolsIn(await answer(2))).toEqual(['found']);
  expect(warned.length).toBeGreaterThan(0);
  expect(got.filter(({ error }) => error)).toHaveLength(1);
});

it('forwards requests without a session side by side, and ends the one that is cancelled', async () => {
  const { endpoint, cancelled } = desktop('found');
  const { say, answer, input } = agent(newFolder(), async () => endpoint);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  input.write('no message\n[]\n');
  say({ id: 'slow', method: 'tools/call', params: { name: 'found', arguments: {}, _meta } });
  say({ id: 2, method: 'tools/list', params: { _meta } });
  expect(toolsIn(await answer(2))).toEqual(['found']);
  say({ method: 'notifications/cancelled', params: { requestId: 'slow' } });
  await eventually(() => expect(cancelled).toHaveBeenCalled());
});

it('sends the answer of an agent while a request of it has no headers yet', async () => {
  const { endpoint } = desktop('found');
  const answered = Promise.withResolvers<void>();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body = String(init?.body ?? '');
    if (body.includes('"id":"asked"')) answered.resolve();
    if (body.includes('prompts/get')) await answered.promise;
    return endpoint.fetch(input, init);
  };
  const { initialize, say, answer } = agent(newFolder(), async () => ({ ...endpoint, fetch }));
  initialize();
  say({ id: 1, method: 'prompts/get', params: { name: 'x' } });
  say({ id: 'asked', result: { action: 'accept' } });
  expect(await answer(1)).toHaveProperty('error');
});

it('says that a call may have been made when its desktop ends, and repeats what only reads', async () => {
  let cuts = 2;
  const nextDesktop = async () => {
    const { endpoint } = desktop('found');
    return { ...endpoint, fetch: cutting(endpoint.fetch) };
  };
  const cutting =
    (fetch: typeof globalThis.fetch) =>
    async (...[input, init]: Parameters<typeof fetch>) => {
      const body = String(init?.body ?? '');
      if (cuts > 0 && /tools.(?:call|list)"/.test(body) && !body.includes('"name":"streams"')) {
        cuts -= 1;
        throw new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } });
      }
      const response = await fetch(input, init);
      if (!body.includes('"name":"streams"')) return response;
      const cut = new ReadableStream({ pull: (stream) => stream.error(new Error('closed')) });
      return new Response(cut, { headers: { 'content-type': 'text/event-stream' } });
    };
  const { initialize, say, answer, got } = agent(newFolder(), nextDesktop);
  initialize();
  await answer(0);
  say({ id: 1, method: 'tools/call', params: { name: 'found', arguments: {} } });
  const mayHaveBeenMade = { error: { message: expect.stringContaining('check that before you call again') } };
  expect(await answer(1)).toMatchObject(mayHaveBeenMade);
  say({ id: 2, method: 'tools/list', params: {} });
  expect(toolsIn(await answer(2))).toEqual(['found']);
  say({ id: 3, method: 'tools/call', params: { name: 'streams', arguments: {} } });
  expect(await answer(3)).toMatchObject(mayHaveBeenMade);
  expect(got.filter(({ id }) => id === 3)).toHaveLength(1);
});

it('answers each request of a batch', async () => {
  const { input, initialize, answer } = agent(newFolder(), async () => desktop('one').endpoint);
  initialize('2025-03-26');
  const batch = ['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
  input.write(`${JSON.stringify(batch)}\n`);
  expect([toolsIn(await answer('a')), toolsIn(await answer('b'))]).toEqual([['one'], ['one']]);
});

it('ends when the agent sends a line without end, and reads no more of it', async () => {
  const { input, over } = agent(newFolder(), async () => desktop('one').endpoint);
  const piece = 'a'.repeat(1024 * 1024);
  for (let sent = 0; sent < 10; sent += 1) input.write(piece);
  await over;
  expect(input.destroyed).toBe(true);
});

it('gives the list of a desktop that runs, and not the last known one', async () => {
  const folder = newFolder();
  const first = agent(folder, async () => desktop('old').endpoint);
  first.initialize();
  first.say({ id: 1, method: 'tools/list' });
  expect(toolsIn(await first.answer(1))).toEqual(['old']);
  await eventually(() => expect(statSync(path.join(folder, 'gateway-lists.json')).size).toBeGreaterThan(0));
  // It waits as long as a busy machine needs.
  const next = agent(folder, async () => desktop('new').endpoint, 60_000);
  next.initialize();
  next.say({ id: 1, method: 'tools/list' });
  expect(toolsIn(await next.answer(1))).toEqual(['new']);
});

it('ends when it is told to, also while a desktop starts', async () => {
  const { initialize, answer, stop, over } = agent(newFolder(), () => new Promise(() => undefined));
  initialize();
  await answer(0);
  stop();
  await over;
});
