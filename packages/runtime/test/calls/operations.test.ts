import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProtocolError } from '@modelcontextprotocol/client';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { NO_CONTENT, operationsOf } from '../../src/calls/operations.ts';
import { openCalls, said } from '../support/calls.ts';
import { refused } from '../support/refused.ts';

const TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** A server of the MCP SDK 1, whose tool can only be called as a task, and ends when the test says so. */
async function taskServer() {
  const store = new InMemoryTaskStore();
  const begun = Promise.withResolvers<string>();
  const asked: string[] = [];
  const server = new McpServer(
    { name: 'tasks', version: '1' },
    {
      capabilities: { tasks: TASKS, tools: {} },
      taskStore: store,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  server.experimental.tasks.registerToolTask(
    'plain',
    { inputSchema: { city: z.string() }, execution: { taskSupport: 'required' } },
    {
      async createTask(_args, { taskStore }) {
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 1 });
        begun.resolve(task.taskId);
        return { task };
      },
      getTask: (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async (_args, { taskId, taskStore }) =>
        (await taskStore.getTaskResult(taskId)) as { content: [] },
    },
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'session' });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (body !== '') asked.push(JSON.parse(body).method);
    // The first message of a client that may be newer is one that this server does not know.
    await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await server.close();
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  const opened = await openCalls(() => undefined, {
    manifest: { remote: { mcpUrl: `http://localhost:${port}/mcp`, domains: [] } },
  });
  return { ...opened, store, begun: begun.promise, asked };
}

/** A client of a server with these capabilities, which records what it is asked for. */
function clientOf(
  capabilities: object | undefined,
  answer: (method: string, params: Asked) => unknown,
  era = 'legacy',
) {
  const asked: [method: string, params: unknown][] = [];
  const request = async ({ method, params }: { method: string; params: Asked }): Promise<unknown> => {
    asked.push([method, params]);
    return answer(method, params);
  };
  const client = {
    getServerCapabilities: () => capabilities,
    getProtocolEra: () => era,
    request,
    listTools: (params: Asked) => request({ method: 'tools/list', params }),
    callTool: (params: Asked, options: object) =>
      request({ method: 'called', params: { ...params, options } }),
    complete: (params: Asked) => request({ method: 'completion/complete', params }),
  };
  const slept: number[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  return {
    operations: operationsOf(client as unknown as Parameters<typeof operationsOf>[0], { sleep }),
    asked,
    slept,
  };
}

type Asked = Record<string, unknown> & { cursor?: string };

const { signal } = new AbortController();

const LISTS = [
  ['resources', 'resources/list', 'resources', 'resources'],
  ['templates', 'resources/templates/list', 'resourceTemplates', 'resources'],
  ['prompts', 'prompts/list', 'prompts', 'prompts'],
] as const;

describe.each(LISTS)('the %s of a server', (name, method, field, capability) => {
  const listed = (
    next: (cursor: string | undefined) => string | undefined,
    capabilities: object = { [capability]: {} },
  ) => {
    const { operations, asked } = clientOf(capabilities, (_method, { cursor }) => ({
      [field]: [cursor ?? 'first'],
      nextCursor: next(cursor),
    }));
    return { asked, list: operations.content[name](signal) };
  };

  it('are read page by page', async () => {
    const { list, asked } = listed((cursor) =>
      cursor === undefined ? 'a' : cursor === 'a' ? 'b' : undefined,
    );
    expect(await list).toEqual({ items: ['first', 'a', 'b'], isComplete: true });
    expect(asked).toEqual([{}, { cursor: 'a' }, { cursor: 'b' }].map((params) => [method, params]));
  });

  it('end where the server repeats a page', async () => {
    expect(await listed(() => 'a').list).toEqual({ items: ['first', 'a'], isComplete: true });
  });

  it('end at an empty cursor, whose page counts where it has others', async () => {
    for (const [last, items] of [
      [['first'], ['first']],
      [['more'], ['first', 'more']],
    ]) {
      const { operations } = clientOf({ [capability]: {} }, (_method, { cursor }) =>
        cursor === undefined ? { [field]: ['first'], nextCursor: '' } : { [field]: last },
      );
      expect(await operations.content[name](signal)).toEqual({ items, isComplete: true });
    }
    // A page that is the same may be of a list with equal entries, when its cursor says where it begins.
    const { operations } = clientOf({ [capability]: {} }, (_method, { cursor }) => ({
      [field]: ['first'],
      nextCursor: cursor === undefined ? 'a' : undefined,
    }));
    expect(await operations.content[name](signal)).toEqual({ items: ['first', 'first'], isComplete: true });
  });

  it('end at the eighth page', async () => {
    const { list, asked } = listed((cursor) => `${cursor}x`);
    expect(await list).toMatchObject({ isComplete: false });
    expect(asked).toHaveLength(8);
  });

  it('are none where it does not have the method', async () => {
    const fails = (error: Error) =>
      clientOf({ [capability]: {} }, () => {
        throw error;
      }).operations.content[name](signal);
    expect(await fails(new ProtocolError(-32_601, 'x'))).toEqual({ items: [], isComplete: true });
    for (const error of [new ProtocolError(-32_603, 'x'), new Error('x')])
      await expect(fails(error)).rejects.toBe(error);
  });

  it('are not requested where it has none', async () => {
    const { list, asked } = listed(() => undefined, { tools: {} });
    expect(await list).toEqual({ items: [], isComplete: true });
    expect(asked).toEqual([]);
    expect(await NO_CONTENT[name](signal)).toEqual({ items: [], isComplete: true });
  });
});

describe('the content of a server', () => {
  const contentOf = (client: object) =>
    operationsOf(client as Parameters<typeof operationsOf>[0], { sleep: async () => undefined }).content;

  it('is completed and watched only where it offers that', async () => {
    const params = { ref: { type: 'ref/prompt' as const, name: 'n' }, argument: { name: 'a', value: '' } };
    const answer = () => ({ completion: { values: ['x'] } });
    const offered = clientOf({ completions: {} }, answer).operations.content;
    expect(await offered.complete(params, signal)).toEqual({ values: ['x'] });
    for (const capabilities of [{ resources: {} }, undefined]) {
      const { operations, asked } = clientOf(capabilities, answer);
      expect(await operations.content.complete(params, signal)).toEqual({ values: [] });
      await expect(operations.content.subscribe('note://1', signal)).rejects.toEqual(refused('not-offered'));
      expect(await operations.listTools(signal)).toEqual([]);
      expect(asked).toEqual([]);
    }
  });

  it.each([
    ['legacy', ['subscribed', 'unsubscribed']],
    ['modern', ['listening', 'closed']],
  ])('is watched as its revision has it (%s)', async (era, expected) => {
    const did: string[] = [];
    const content = contentOf({
      getServerCapabilities: () => ({ resources: { subscribe: true } }),
      getProtocolEra: () => era,
      subscribeResource: async () => did.push('subscribed'),
      unsubscribeResource: async () => did.push('unsubscribed'),
      listen: async () => {
        did.push('listening');
        return { close: async () => did.push('closed') };
      },
    });
    await (await content.subscribe('note://1', signal))();
    expect(did).toEqual(expected);
  });
});

describe('a call', () => {
  const ALL = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const tools = [
    { name: 'slow', execution: { taskSupport: 'required' } },
    { name: 'either', execution: { taskSupport: 'optional' } },
    { name: 'fast' },
  ];
  const task = (status: string, more: object = {}) => ({ taskId: 't', status, ...more });
  /** A server whose task has these states, one after the other. */
  const running = (states: object[], capabilities: object = ALL, era?: string) =>
    clientOf(
      capabilities,
      (method) => {
        if (method === 'tools/list') return { tools };
        if (method === 'tools/call') return { task: states.shift() };
        return method === 'tasks/get' ? states.shift() : { content: [] };
      },
      era,
    );

  it.each<[string, object | undefined, string | undefined, string[]]>([
    ['slow', ALL, 'legacy', ['tools/list', 'tools/call', 'tasks/result']],
    ['either', ALL, 'legacy', ['tools/list', 'called']],
    ['fast', ALL, 'legacy', ['tools/list', 'called']],
    ['slow', ALL, 'modern', ['called']],
    ['slow', { tools: {} }, 'legacy', ['called']],
    ['slow', { tools: {}, tasks: { requests: {} } }, 'legacy', ['called']],
  ])('of the tool "%s" at a server with %j (%s)', async (name, capabilities, era, methods) => {
    const { operations, asked } = running([task('completed')], capabilities, era);
    await operations.callTool(name, { a: 1 }, { signal });
    expect(asked.map(([method]) => method)).toEqual(methods);
    expect(asked.at(-1)?.[1]).not.toHaveProperty('options.onprogress');
  });

  it('has what its caller says beside the arguments', async () => {
    const { operations, asked } = running([]);
    await operations.callTool('fast', { a: 1 }, { signal, meta: { tenant: 7 } });
    expect(asked.at(-1)?.[1]).toMatchObject({ arguments: { a: 1 }, _meta: { tenant: 7 } });
  });

  it('reports progress only to a caller that listens', async () => {
    const { operations, asked } = running([]);
    const onProgress = () => undefined;
    await operations.callTool('fast', {}, { signal, onProgress });
    expect(asked.at(-1)?.[1]).toMatchObject({ options: { onprogress: onProgress } });
  });

  it('waits for its task as long as the server says, within bounds, and tells its state', async () => {
    const states = [
      task('working'),
      task('working', { pollInterval: 1, statusMessage: 'Half.' }),
      task('working', { pollInterval: 60_000, statusMessage: null }),
      task('working', { pollInterval: 5_000 }),
      task('completed'),
    ];
    const { operations, slept } = running(states);
    const heard: unknown[] = [];
    await operations.callTool('slow', {}, { signal, onProgress: (progress) => heard.push(progress) });
    expect(slept).toEqual([1_000, 250, 15_000, 5_000]);
    expect(heard).toStrictEqual([
      { progress: 1 },
      { progress: 2, message: 'Half.' },
      { progress: 3 },
      { progress: 4 },
    ]);
  });

  it.each([
    [task('cancelled', { statusMessage: 'The queue is full.' }), 'The queue is full.'],
    [task('cancelled'), 'The server cancelled it.'],
  ])('whose task is %j fails, and cancels nothing', async (state, message) => {
    const { operations, asked } = running([state]);
    await expect(operations.callTool('slow', {}, { signal })).rejects.toThrow(message);
    expect(asked.map(([method]) => method)).toEqual(['tools/list', 'tools/call']);
  });

  it('cancels its task when it is aborted, also where the server refuses that', async () => {
    const { operations, asked } = clientOf(ALL, (method) => {
      if (method === 'tasks/cancel') throw new Error('It has ended.');
      return method === 'tools/list' ? { tools } : { task: task('completed'), content: [] };
    });
    const aborted = AbortSignal.abort();
    await operations.callTool('slow', {}, { signal: aborted });
    expect(asked.map(([method]) => method)).toEqual([
      'tools/list',
      'tools/call',
      'tasks/result',
      'tasks/cancel',
    ]);
  });

  it('asks for the list of tools once, unless that fails', async () => {
    let failures = 1;
    const { operations, asked } = clientOf(ALL, (method) => {
      if (method === 'tools/list' && failures-- > 0) throw new Error('not now');
      return { tools };
    });
    await expect(operations.callTool('fast', {}, { signal })).rejects.toThrow('not now');
    for (let n = 0; n < 2; n += 1) await operations.callTool('fast', {}, { signal });
    expect(asked.map(([method]) => method)).toEqual(['tools/list', 'tools/list', 'called', 'called']);
  });
});

describe('a tool that can only be called as a task', () => {
  it('is asked for until it has ended, and its result is that of the call', async () => {
    const { call, store, begun, asked } = await taskServer();
    const answer = call('plain', { arguments: { city: 'Oslo' } });
    const task = await begun;
    await expect.poll(() => asked).toContain('tasks/get');
    await store.storeTaskResult(task, 'completed', { content: [{ type: 'text', text: 'Rain' }] });
    expect(await answer).toEqual(said('Rain'));
    expect(asked).toContain('tasks/result');
  });

  it('is cancelled at its server when the call is aborted', async () => {
    const { call, store, begun, asked } = await taskServer();
    const ended = new AbortController();
    const answer = call('plain', { arguments: { city: 'Oslo' }, signal: ended.signal });
    const task = await begun;
    await expect.poll(() => asked).toContain('tasks/get');
    ended.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await expect.poll(async () => (await store.getTask(task))?.status).toBe('cancelled');
    expect(asked).toContain('tasks/cancel');
  });

  it('reports that its server cancelled or failed it', async () => {
    const { call, store, begun } = await taskServer();
    const answer = call('plain', { arguments: { city: 'Oslo' } });
    await store.updateTaskStatus(await begun, 'cancelled', 'The queue is full.');
    await expect(answer).rejects.toEqual(refused('server-failed'));
  });
});
