import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, vi } from 'vitest';
import { type ConnectionOptions, connectToServer, emitNotices } from '../../src/calls/connection.ts';
import { createKnownEras } from '../../src/calls/negotiate-era.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { enforcedFootprint } from '../../src/library/installed-app.ts';
import { CONNECTOR } from '../support/asking-server.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { event, json, type Play, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';

/** Everything that a printed error could show. */
const shown = (error: unknown) => {
  const { stack, cause, detail } = error as Error & { detail: unknown };
  return `${stack} ${String(cause)} ${JSON.stringify(detail)}`;
};

describe('a malicious server', () => {
  it.each<[string, Play, string]>([
    ['never answers', () => undefined, 'too-slow'],
    [
      'streams without end',
      ({ response }) => {
        const dripping = setInterval(() => response.write(': still there\n\n'), 10);
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .on('close', () => clearInterval(dripping));
        return undefined;
      },
      'too-slow',
    ],
    [
      'answers with another id',
      ({ response }) => void json(response, { jsonrpc: '2.0', id: 999, result: text('x') }),
      'server-failed',
    ],
    [
      'answers with another id in a stream',
      ({ response, message }) => {
        event(response, { jsonrpc: '2.0', id: `${message.id}x`, result: text('x') });
        return undefined;
      },
      'too-slow',
    ],
    [
      'sends HTML',
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'server-failed',
    ],
    [
      'sends HTML as JSON',
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
      'server-failed',
    ],
    ['sends JSON that is not JSON-RPC', ({ response }) => void json(response, { hello: 1 }), 'server-failed'],
    ['responds with 500', ({ response }) => void json(response, {}, 500), 'server-failed'],
    ['closes the connection', ({ response }) => void response.destroy(), 'unreachable'],
    [
      'redirects to another host',
      ({ response }) => void response.writeHead(307, { location: 'https://evil.example/' }).end(),
      'address-refused',
    ],
    [
      'redirects to a link-local address',
      ({ response }) => void response.writeHead(308, { location: 'http://169.254.169.254/' }).end(),
      'address-refused',
    ],
    [
      'redirects with 303, which turns the call into a GET',
      ({ response }) => void response.writeHead(303, { location: '/mcp' }).end(),
      'server-failed',
    ],
  ])('that %s ends the call with an error', async (_what, play, code) => {
    const { call } = await openCalls(play);
    // Only a call that must time out has a short timeout; the others have to pass on a busy machine.
    const bounds = code === 'too-slow' ? { timeoutMs: 250 } : {};
    await expect(call('plain', bounds)).rejects.toEqual(refused(code));
  });

  it('that sends an endless body ends the call, but not the client', async () => {
    const piece = 'x'.repeat(2 ** 20);
    let sent = 0;
    const { call } = await openCalls(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0","x":"');
      const more = () => {
        while (!response.destroyed && sent < 200) {
          sent += 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
      };
      more();
      return undefined;
    });
    await expect(call('plain')).rejects.toEqual(refused('too-large'));
    expect(sent).toBeLessThan(200);
  });

  it('of an app of the store that requests sampling or roots receives the error -32601, and -32602 for a form without fields', async () => {
    const answers: unknown[] = [];
    const { promise: answered, resolve: allAnswered } = Promise.withResolvers<void>();
    const { call } = await openCalls(
      async ({ response, message }) => {
        for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
          event(response, {
            jsonrpc: '2.0',
            id: `ask-${method}`,
            method,
            params: { message: 'Your password?' },
          });
        }
        // The result ends the call and the requests within it, so the server sends it last.
        await answered;
        event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
        return undefined;
      },
      {
        server: {
          before({ message, response }) {
            if (message.method !== undefined) return false;
            answers.push((message as unknown as { error?: { code: number } }).error?.code);
            response.writeHead(202).end();
            if (answers.length === 3) allAnswered();
            return true;
          },
        },
      },
    );
    await call('plain');
    expect(answers.toSorted()).toEqual([-32601, -32601, -32602]);
  });
});

describe('a token in an error of a server', () => {
  it.each<[string, Play]>([
    [
      'an error',
      ({ response, message }) =>
        void json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -1, message: `no ${TOKEN}`, data: { TOKEN } },
        }),
    ],
    [
      'an error in base64',
      ({ response, message }) =>
        void json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -1, message: Buffer.from(`x${TOKEN}`).toString('base64') },
        }),
    ],
    [
      'an HTML page',
      ({ response }) => void response.writeHead(500, { 'x-token': TOKEN }).end(`<h1>${TOKEN}</h1>`),
    ],
    [
      'a content type',
      ({ response }) =>
        void response
          .writeHead(200, { 'content-type': `text/${TOKEN.replace(/[^\w]/g, '')}; t="${TOKEN}"` })
          .end(),
    ],
    [
      'the address of a redirect',
      ({ response }) => void response.writeHead(307, { location: `https://evil.example/?t=${TOKEN}` }).end(),
    ],
    [
      'the host of a redirect',
      ({ response }) =>
        void response
          .writeHead(307, {
            location: `https://${Buffer.from(TOKEN).toString('hex').slice(0, 60)}.evil.example/`,
          })
          .end(),
    ],
    [
      'broken JSON',
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end(TOKEN),
    ],
  ])('does not leak from %s', async (_what, play) => {
    const { call, told } = await openCalls(play, { deps: tokensOf(TOKEN) });
    const error = await call('mine').catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(Error);
    const all = `${shown(error)} ${JSON.stringify(told)}`;
    expect(all).not.toContain(TOKEN);
    expect(all).not.toContain(Buffer.from(`x${TOKEN}`).toString('base64').slice(4, 24));
  });

  it('does not leak from progress messages, whole or in parts', async () => {
    const heard: string[] = [];
    const { call } = await openCalls(
      ({ message, response }) => {
        const progressToken = message.params._meta?.progressToken;
        const say = (progress: number, words: string) =>
          event(response, {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress, message: words },
          });
        say(1, `got ${TOKEN}`);
        say(2, `first ${TOKEN.slice(0, 20)}`);
        say(3, `${TOKEN.slice(20)} second`);
        // The result is written in two parts, split within the token.
        const answer = `data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: text(TOKEN) })}\n\n`;
        const middle = answer.indexOf(TOKEN) + 10;
        response.write(answer.slice(0, middle));
        setTimeout(() => response.end(answer.slice(middle)), 20);
        return undefined;
      },
      { deps: tokensOf(TOKEN) },
    );
    const result = await call('mine', { onProgress: ({ message = '' }) => heard.push(message) });
    expect(result.parts).toEqual([{ type: 'text', text: '[secret]' }]);
    expect(heard).toEqual(['got [secret]', 'first [secret]', 'second']);
  });
});

it('does not send a token or a session to another origin of the app after a redirect', async () => {
  const headers: unknown[] = [];
  const other = await serveHere(() => (request, response) => {
    headers.push(
      request.headers.authorization,
      request.headers['x-svc-project'],
      request.headers['mcp-session-id'],
    );
    response.writeHead(500).end();
  });
  const { call } = await openCalls(
    ({ response }) => void response.writeHead(307, { location: other }).end(),
    {
      deps: tokensOf(TOKEN),
    },
  );
  await expect(call('mine')).rejects.toEqual(refused('server-failed'));
  expect(headers).toEqual([undefined, undefined, undefined]);
});

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

type Sent = { method: string; id?: number; params?: Record<string, unknown> };

/** Connects to a server without a network. `get` answers each request for a stream, `answer` other requests than the first. */
async function connected(
  options: Partial<ConnectionOptions> = {},
  {
    capabilities = { tools: {} },
    isModern = false,
    answer = () => ({}),
    get = () => new Response(null, { status: 405 }),
    end = async () => new Response(),
  }: {
    capabilities?: object;
    isModern?: boolean;
    answer?: (message: Sent) => object | null;
    get?: (init: RequestInit) => Response;
    end?: (init: RequestInit) => Promise<Response>;
  } = {},
) {
  const asked: Sent[] = [];
  const first = (revision: object) => ({
    ...{ capabilities, serverInfo: { name: 's', version: '1' }, resultType: 'complete', ...revision },
    ...{
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
    },
  });
  const resultOf = (message: Sent): object | null => {
    if (message.method === 'initialize') return first({ protocolVersion: '2025-11-25' });
    if (message.method === 'server/discover')
      return isModern ? first({ supportedVersions: ['2026-07-28'] }) : null;
    return answer(message);
  };
  const connection = await connectToServer({
    ...{ system, client: { name: 'test', version: '1' }, known: createKnownEras(system) },
    url: 'https://mcp.example.com/',
    async fetch(_input, init = {}) {
      if (init.method === 'GET') return get(init);
      if (init.method === 'DELETE') return end(init);
      const message = JSON.parse(String(init.body)) as Sent;
      asked.push(message);
      if (message.id === undefined) return new Response(null, { status: 202 });
      const result = resultOf(message);
      if (result instanceof Response) return result;
      const body = {
        jsonrpc: '2.0',
        id: message.id,
        ...(result ? { result } : { error: { code: -32601, message: 'no' } }),
      };
      return Response.json(body, { headers: { 'mcp-session-id': 's' } });
    },
    signal: new AbortController().signal,
    ...options,
  });
  return { connection, asked };
}

const { signal } = new AbortController();
const streamed = (...messages: object[]) =>
  new Response(
    messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join(''),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  );

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

it('what a server tells is read, within limits', async () => {
  const told: unknown[] = [];
  const log = (data: unknown, logger?: string) => ({
    method: 'notifications/message',
    params: { level: 'error', data, logger },
  });
  const { connection } = await connected(
    { onNotice: (notice) => told.push(notice) },
    {
      answer: ({ id }) =>
        streamed(
          ...[log('words'), log({ n: 1 }, 'db'), log('x'.repeat(5_000), 'y'.repeat(200))],
          { method: 'notifications/resources/updated', params: { uri: 'note://1' } },
          ...['tools', 'resources', 'prompts'].map((list) => ({
            method: `notifications/${list}/list_changed`,
          })),
          { id, result: { tools: [] } },
        ),
    },
  );
  await connection.list(signal);
  expect(told).toEqual([
    { kind: 'log', level: 'error', text: 'words' },
    { kind: 'log', level: 'error', text: 'db: {"n":1}' },
    { kind: 'log', level: 'error', text: `${'y'.repeat(100)}: ${'x'.repeat(4_000)}` },
    { kind: 'updated', uri: 'note://1' },
    ...['tools', 'resources', 'prompts'].map((list) => ({ kind: 'changed', list })),
  ]);
});

it('notices become events without tokens', () => {
  const events: unknown[] = [];
  const secrets = createSecrets();
  secrets.add(TOKEN);
  const deps = { events: { emit: (told: unknown) => events.push(told) }, system };
  const emit = emitNotices(deps as never, 'com.example.notes', secrets);
  emit({ kind: 'log', level: 'info', text: `got ${TOKEN}` });
  emit({ kind: 'changed', list: 'tools' });
  emit({ kind: 'updated', uri: 'note://1' });
  const appId = 'com.example.notes';
  expect(events).toEqual([
    { type: 'server-log', appId, level: 'info', text: 'got [secret]' },
    { type: 'server-list-changed', appId, list: 'tools' },
    { type: 'server-resource-updated', appId, uri: 'note://1' },
  ]);
});

describe('what a connector tells without being asked', () => {
  it('becomes events, at a limited rate', async () => {
    const { call, told } = await openCalls(
      ({ response, message }) => {
        event(response, { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        for (let n = 0; n < 40; n += 1)
          event(response, {
            jsonrpc: '2.0',
            method: 'notifications/message',
            params: { level: 'warning', logger: 'db', data: { n } },
          });
        event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
        return undefined;
      },
      { app: CONNECTOR },
    );
    await call('plain');
    const logged = told.filter(({ type }) => type === 'server-log');
    expect(logged[0]).toMatchObject({ level: 'warning', text: 'db: {"n":0}' });
    expect(logged.length).toBeLessThan(30);
    expect(told).toContainEqual(expect.objectContaining({ type: 'server-list-changed', list: 'tools' }));
  });

  it('arrives on a stream of its own', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { calls, call, told } = await openCalls(() => text('ok'), {
      app: CONNECTOR,
      server: {
        serve: async (listener) => {
          return serveHere((url) => (request, response) => {
            if (request.method !== 'GET') return listener(url)(request, response);
            event(response, { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
            open();
          });
        },
      },
    });
    await call('plain');
    await opened;
    await expect.poll(() => told.map(({ type }) => type)).toContain('server-list-changed');
    await calls.stop();
  });
});
