import { describe, expect, it, vi } from 'vitest';
import { type ConnectionOptions, connectToServer } from '../../src/calls/connection.ts';
import { createKnownEras } from '../../src/calls/negotiate-era.ts';
import { enforcedFootprint } from '../../src/library/installed-app.ts';
import { openCalls } from '../support/calls.ts';
import { connected, signal, streamed } from '../support/connected.ts';
import { text } from '../support/mcp-server.ts';
import { system } from '../support/system.ts';

it.each([
  ['no stream of its own, which it could fill at any time, when nothing is received on it', {}, false],
  ['one when its notices are', { onNotice: () => undefined }, true],
])('a server is asked for %s', async (_what, receiving, isOpened) => {
  const { app } = await openCalls(() => text('ok'));
  const url = enforcedFootprint(app).mcpUrl;
  const known = createKnownEras(system);
  known.record(url, 'legacy');
  const methods: unknown[] = [];
  const connection = await connectToServer({
    ...receiving,
    ...{ system, client: { name: 'test', version: '1' }, known, url },
    fetch: (input, init) => {
      methods.push(init?.method);
      return fetch(input, init);
    },
    signal: new AbortController().signal,
  });
  await connection.list(new AbortController().signal);
  await connection.close();
  expect(methods.includes('GET')).toBe(isOpened);
});

it.each<[string, Partial<ConnectionOptions>, object]>([
  ['nothing', {}, {}],
  ['questions', { elicit: vi.fn() }, { elicitation: { form: { applyDefaults: true } } }],
  [
    'pages',
    { elicit: vi.fn(), opensPages: true },
    { elicitation: { form: { applyDefaults: true }, url: {} } },
  ],
  ['a model', { sample: vi.fn() }, { sampling: {} }],
  ['folders', { roots: vi.fn() }, { roots: {} }],
  [
    'panels',
    { showsPages: true },
    { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
  ],
])('a server is offered %s where the client has that alone', async (_what, requests, capabilities) => {
  const { asked } = await connected(requests);
  const { params } = asked.find(({ method }) => method === 'initialize') ?? {};
  expect(params?.capabilities).toStrictEqual(capabilities);
});

it.each<[string, object, boolean, boolean, unknown[]]>([
  ['a server that has one', { logging: {} }, true, false, [{ level: 'info' }]],
  ['a server that has none', { tools: {} }, true, false, []],
  ['a server of the newest revision', { logging: {} }, true, true, []],
  ['a server whose log is not read', { logging: {} }, false, false, []],
])('the log of %s', async (_what, capabilities, isRead, isModern, expected) => {
  const { asked } = await connected(isRead ? { onNotice: () => undefined } : {}, { capabilities, isModern });
  expect(
    asked.flatMap(({ method, params }) => (method === 'logging/setLevel' ? [params] : [])),
  ).toMatchObject(expected);
});

it('a server of the transport before says so', async () => {
  const get = () => new Response('event: endpoint\n', { headers: { 'content-type': 'text/event-stream' } });
  const fetch: typeof globalThis.fetch = async (_input, init) =>
    init?.method === 'GET' ? get() : new Response('Cannot POST /sse', { status: 404 });
  await expect(connected({ fetch })).rejects.toThrow('mcp.example.com has only the HTTP+SSE transport');
});

it('a server without tools has an empty list, without a word on the standard output', async () => {
  const debug = vi.spyOn(console, 'debug');
  const { connection, asked } = await connected({}, { capabilities: { resources: {} } });
  expect(await connection.list(signal)).toEqual({ tools: [], ttlMs: 0 });
  expect([debug.mock.calls, asked.filter(({ method }) => method === 'tools/list')]).toEqual([[], []]);
  debug.mockRestore();
});

it('a list of tools is fresh as long as the server says', async () => {
  for (const ttlMs of [5_000, undefined]) {
    const { connection } = await connected(
      {},
      { answer: () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }], ttlMs }) },
    );
    expect(await connection.list(signal)).toEqual({
      tools: [{ name: 'a', inputSchema: { type: 'object' } }],
      ttlMs: ttlMs ?? 0,
    });
  }
});

/** The tools of lists whose pages follow from the cursor before, what was noted, and how many pages were asked for. */
async function pagedList(next: (at: number) => string | undefined, { isModern = false, length = 1 } = {}) {
  const notes: string[] = [];
  const inputSchema = { type: 'object' as const, title: 'x'.repeat(length) };
  let pages = 0;
  const { connection, asked } = await connected(
    { onRepair: (what) => notes.push(what) },
    {
      isModern,
      answer: () => {
        pages += 1;
        return { tools: [{ name: `t${pages}`, inputSchema }], nextCursor: next(pages), ttlMs: 0 };
      },
    },
  );
  const lists = [await connection.list(signal), await connection.list(signal)];
  const cursors = asked.flatMap(({ method, params }) => (method === 'tools/list' ? [params?.cursor] : []));
  return { tools: lists.map(({ tools }) => tools.length), notes, cursors };
}

describe('a list of tools of several pages', () => {
  it('is read to its end, each time', async () => {
    const { tools, notes } = await pagedList((at) => (at % 40 === 0 ? undefined : String(at)));
    expect([tools, notes]).toEqual([[40, 40], []]);
  });

  it.each<[string, (at: number) => string | undefined, number, number]>([
    ['that has no end', String, 1, 64],
    ['that is large', (at) => (at > 4 ? undefined : String(at)), 2 * 1024 * 1024, 4],
  ])('%s is cut, which is noted', async (_what, next, length, pages) => {
    const { tools, notes } = await pagedList(next, { length });
    expect(tools[0]).toBe(pages);
    expect(notes[0]).toBe(
      `The list of tools is longer than ${pages} pages: the tools of further ones were left out.`,
    );
  });

  it('ends where a cursor repeats', async () => {
    const { tools, notes } = await pagedList((at) => (at % 2 === 0 ? 'a' : 'b'));
    expect([tools, notes]).toEqual([[3, 3], []]);
  });

  it.each([true, false])('goes on at an empty cursor (modern: %s)', async (isModern) => {
    const next = (at: number) => (at % 2 === 0 ? undefined : '');
    const { cursors, tools } = await pagedList(next, { isModern });
    expect(cursors).toEqual([undefined, '', undefined, '']);
    expect(tools).toEqual([2, 2]);
  });

  it.each<[string, () => object | null]>([
    [
      'repeats the page before',
      () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: '' }),
    ],
    ['is refused', () => null],
  ])('ends at an empty cursor whose page %s', async (_what, second) => {
    let pages = 0;
    const { connection } = await connected(
      {},
      {
        answer() {
          pages += 1;
          const inputSchema = { type: 'object' };
          return pages === 1 ? { tools: [{ name: 'a', inputSchema }], nextCursor: '', ttlMs: 0 } : second();
        },
      },
    );
    expect((await connection.list(signal)).tools).toHaveLength(1);
  });
});

it.each<[string, (Response | null)[], boolean]>([
  ['that knows its events no more', [new Response(null, { status: 404 })], true],
  ['that has no streams any more', [new Response(null, { status: 405 })], true],
  ['that is not reached twice', [null, null], true],
  ['that is not reached once', [null, new Response(null, { status: 500 })], false],
  ['that fails', [new Response(null, { status: 500 })], false],
])('a server %s is gone: $2', async (_what, answers, isGone) => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const left = [
    new Response('id: 1\nretry: 1\ndata:\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    ...answers,
  ];
  const { connection } = await connected(
    { onNotice: () => undefined },
    {
      get() {
        const answer = left.shift();
        if (left.length === 0) resolve();
        if (!answer) throw new TypeError('fetch failed');
        return answer;
      },
    },
  );
  let isEnded = false;
  void connection.ended?.then(() => {
    isEnded = true;
  });
  await asked;
  if (isGone) await connection.ended;
  await connection.close();
  expect(isEnded).toBe(isGone);
});

it('a server without streams is not gone', async () => {
  const { connection } = await connected({ onNotice: () => undefined });
  await connection.list(signal).catch(() => undefined);
  expect(
    await Promise.race([
      connection.ended?.then(() => 'gone'),
      new Promise((resolve) => setImmediate(resolve, 'there')),
    ]),
  ).toBe('there');
});

it('a server that does not answer twice is not gone', async () => {
  const { connection } = await connected(
    { onNotice: () => undefined },
    {
      answer() {
        throw new TypeError('fetch failed');
      },
    },
  );
  let isEnded = false;
  void connection.ended?.then(() => {
    isEnded = true;
  });
  for (let n = 0; n < 3; n += 1) await expect(connection.list(signal)).rejects.toThrow('fetch failed');
  expect(isEnded).toBe(false);
});

it('an answer that breaks off is resumed, also where no other stream is opened', async () => {
  const asked: unknown[] = [];
  const { connection } = await connected(
    {},
    {
      answer: () =>
        new Response('id: 5\nretry: 1\ndata:\n\n', { headers: { 'content-type': 'text/event-stream' } }),
      get({ headers }) {
        asked.push(new Headers(headers).get('last-event-id'));
        return streamed({ result: { tools: [] } });
      },
    },
  );
  expect(await connection.list(signal)).toMatchObject({ tools: [] });
  expect(asked).toEqual(['5']);
});

it.each<[string, object]>([
  ['that is another one', { content: [], structuredContent: { c: 1 } }],
  ['in texts only', { content: [{ type: 'text', text: 'fine' }] }],
])('a result %s is not compared with the schema that a server gives', async (_what, result) => {
  const tools = [
    { name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['b'] } },
  ];
  const { connection } = await connected(
    {},
    {
      answer: ({ method }) => (method === 'tools/list' ? { tools } : result),
    },
  );
  await connection.listTools(signal);
  expect(await connection.callTool('a', {}, { signal })).toMatchObject(result);
});

it('a session is ended at its server, which has two seconds for it, and then its streams', async () => {
  const waits: number[] = [];
  const signals: AbortSignal[] = [];
  let isEnded = false;
  const stays = { ...system, sleep: (ms: number) => new Promise<void>(() => waits.push(ms)) };
  const get = ({ signal: own }: RequestInit) => {
    if (own) signals.push(own);
    return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } });
  };
  const polite = await connected(
    { onNotice: () => undefined, system: stays },
    {
      get,
      async end() {
        await new Promise((resolve) => setImmediate(resolve));
        isEnded = true;
        return new Response();
      },
    },
  );
  await polite.connection.close();
  expect(isEnded).toBe(true);
  expect(waits).toContain(2_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  const silent = await connected(
    { system: { ...system, sleep: async () => undefined } },
    { end: () => new Promise(() => undefined) },
  );
  await silent.connection.close();
});
