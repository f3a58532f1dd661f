import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { CONNECTOR } from '../support/asking-server.ts';
import { openCalls } from '../support/calls.ts';
import { event, text } from '../support/mcp-server.ts';

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
