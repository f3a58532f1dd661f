import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServerHealth } from '../../src/calls/use-server.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { openCalls } from '../support/calls.ts';
import { isAlive, openCommandCalls, pidsIn } from '../support/local-connectors.ts';
import { json, text } from '../support/mcp-server.ts';

describe('the health of servers', () => {
  it('tells a server that does not respond from one that answers with an error', () => {
    const events = createEvents(() => undefined);
    const told: RuntimeEvent[] = [];
    events.subscribe((event) => told.push(event));
    const health = createServerHealth(events);
    for (const error of [
      new RuntimeError('declined'),
      new RuntimeError('not-connected', undefined, { detail: { accountId: 'a' } }),
      new RuntimeError('server-failed', 'It says no.', { detail: { rpc: -32602 } }),
      new RuntimeError('server-failed', 'Too many.', { detail: { status: 429 } }),
      new TypeError('a bug'),
    ])
      health.failed('app', error);
    expect(told).toEqual([]);
    health.failed('app', new RuntimeError('unreachable', 'Gone.'));
    health.failed('app', new RuntimeError('unreachable', 'Gone.'));
    expect(health.faultOf('app')).toBe('Gone.');
    health.failed('app', new RuntimeError('server-failed', 'Bad gateway.', { detail: { status: 502 } }));
    health.failed('app', new RuntimeError('server-failed', 'It says no.', { detail: { rpc: -32602 } }));
    expect(told).toEqual([
      { type: 'server-lost', appId: 'app', reason: 'Gone.' },
      { type: 'server-lost', appId: 'app', reason: 'Bad gateway.' },
      { type: 'server-back', appId: 'app' },
    ]);
    expect(health.faultOf('app')).toBe(null);
  });

  // A call that ran into its time limit would be `too-slow`.
  it('shows at once that a server closed the connection during a call, and that it is back', async () => {
    let isDown = true;
    const { call, calls, app, told } = await openCalls(({ response }) => {
      if (isDown) response.destroy();
      return isDown ? undefined : text('Here.');
    });
    await expect(call('plain')).rejects.toMatchObject({ code: 'unreachable' });
    expect(calls.serverFault(app.appId)).not.toBe(null);
    isDown = false;
    await call('plain');
    expect(calls.serverFault(app.appId)).toBe(null);
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['server-lost', 'server-back']));
  });

  it('shows at once that a stream broke off during a call', async () => {
    const { call } = await openCalls(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': begun\n\n', () => response.destroy());
      return undefined;
    });
    await expect(call('plain')).rejects.toMatchObject({ code: 'unreachable' });
  });

  it.each(['is not there', 'has started again'])(
    'ends a call whose stream cannot be resumed: the server %s',
    async (how) => {
      const server = createServer();
      const kill = () => {
        server.closeAllConnections();
        if (how === 'is not there') server.close();
      };
      const serve = async (listener: (url: string) => RequestListener) => {
        server.on('request', listener(''));
        await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
        onTestFinished(() => void server.close());
        return `http://localhost:${(server.address() as AddressInfo).port}`;
      };
      const { call, calls, app } = await openCalls(
        ({ response }) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          // The first event has an id, so that the client resumes after it (Streamable HTTP, "Resumability").
          response.write('retry: 20\nid: 1\ndata:\n\n', kill);
          return undefined;
        },
        { server: { serve } },
      );
      await expect(call('plain')).rejects.toMatchObject({ code: 'unreachable' });
      expect(calls.serverFault(app.appId)).not.toBe(null);
    },
  );

  it('leaves a call alone that waits for its response while the stream beside it is refused', async () => {
    const streams: ServerResponse[] = [];
    const refusedTwice = Promise.withResolvers<void>();
    const serve = (listener: (url: string) => RequestListener) =>
      serveHere((url) => (request, response) => {
        if (request.method !== 'GET') return listener(url)(request, response);
        streams.push(response);
        if (streams.length > 1) response.destroy();
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 20\n\n');
        // The client has time to notice.
        if (streams.length === 3) setTimeout(refusedTwice.resolve, 100);
      });
    const { call } = await openCalls(
      async () => {
        streams[0]?.destroy();
        await refusedTwice.promise;
        return text('Here.');
      },
      { server: { serve } },
    );
    await expect(call('plain')).resolves.toMatchObject({ parts: [{ type: 'text', text: 'Here.' }] });
  });

  it('shows that a gateway stands before a dead server', async () => {
    const { call, calls, app } = await openCalls(({ response }) => {
      json(response, { error: 'no upstream' }, 502);
      return undefined;
    });
    await expect(call('plain')).rejects.toMatchObject({ code: 'server-failed' });
    expect(calls.serverFault(app.appId)).toContain('502');
  });

  it('shows that a program ended while no call needed it', async () => {
    const { calls, app, record } = await openCommandCalls();
    await calls.tools(app);
    expect(calls.serverFault(app.appId)).toBe(null);
    for (const pid of pidsIn(record).filter(isAlive)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => calls.serverFault(app.appId)).toBe('The program of the connector has ended.');
    await calls.tools(app);
    expect(calls.serverFault(app.appId)).toBe(null);
  });
});
