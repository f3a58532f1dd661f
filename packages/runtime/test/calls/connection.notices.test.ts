import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { emitNotices } from '../../src/calls/connection.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { CONNECTOR } from '../support/asking-server.ts';
import { openCalls, TOKEN } from '../support/calls.ts';
import { connected, signal, streamed } from '../support/connected.ts';
import { event, text } from '../support/mcp-server.ts';
import { system } from '../support/system.ts';

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

  it('is ignored of the server of an app of the store, whose words were reviewed', async () => {
    const { call, told } = await openCalls(({ response, message }) => {
      event(response, { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
      return undefined;
    });
    await call('plain');
    expect(told.map(({ type }) => type)).toEqual(['call-started', 'call-ended']);
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
