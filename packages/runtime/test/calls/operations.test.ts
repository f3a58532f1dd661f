import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { operationsOf } from '../../src/calls/operations.ts';
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

describe('the content of a server', () => {
  const { signal } = new AbortController();
  const contentOf = (client: object) =>
    operationsOf(client as Parameters<typeof operationsOf>[0], { sleep: async () => undefined }).content;

  it('is listed up to its eighth page', async () => {
    let asked = 0;
    const content = contentOf({
      getServerCapabilities: () => ({ resources: {} }),
      request: async () => {
        asked += 1;
        return { resources: [asked], nextCursor: `${asked}` };
      },
    });
    expect(await content.resources(signal)).toEqual({ items: [1, 2, 3, 4, 5, 6, 7, 8], isComplete: false });
    expect(asked).toBe(8);
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
