import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { CallProgress } from '../../src/calls/call-tool.ts';
import { openCalls, said } from '../support/calls.ts';
import { event, json, type Play, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';
import { stoppedClock } from '../support/stopped-clock.ts';
import { system } from '../support/system.ts';

describe('a call', () => {
  it('reports its progress', async () => {
    const heard: CallProgress[] = [];
    const { call } = await openCalls(({ message, response }) => {
      const progressToken = message.params._meta?.progressToken;
      event(response, {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half' },
      });
      event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
      response.end();
      return undefined;
    });
    await call('plain', { onProgress: (progress) => heard.push(progress) });
    expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('with progress takes longer than its time limit without', async () => {
    const clock = stoppedClock();
    const progressed: (() => void)[] = [];
    const { call } = await openCalls(
      async ({ response, message }) => {
        const progressToken = message.params._meta?.progressToken;
        for (let progress = 1; progress <= 4; progress += 1) {
          await new Promise<void>((resolve) => progressed.push(resolve));
          event(response, {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress },
          });
        }
        event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
        return void response.end();
      },
      { deps: { system: clock } },
    );
    const heard: number[] = [];
    const result = call('plain', { onProgress: ({ progress }) => heard.push(progress) });
    for (let turn = 1; turn <= 4; turn += 1) {
      await expect.poll(() => progressed.length).toBe(turn);
      // The default limit is two minutes.
      await clock.pass(100_000);
      progressed.at(-1)?.();
      await expect.poll(() => heard.length + Number(turn === 4)).toBeGreaterThanOrEqual(turn);
    }
    expect(await result).toEqual(said('ok'));
  });

  it('reports a flood of progress at a limited rate, and none after its end', async () => {
    const heard: number[] = [];
    const sent = 3_000;
    let timers = 0;
    const counted: typeof system.sleep = (ms, signal) => {
      if (ms === 100) timers += 1;
      return system.sleep(ms, signal);
    };
    const play: Play = ({ message, response }) => {
      const progressToken = message.params._meta?.progressToken;
      for (let progress = 1; progress <= sent; progress += 1) {
        event(response, {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress, message: 'x'.repeat(1_000) },
        });
      }
      event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
      response.end();
      return undefined;
    };
    const { call } = await openCalls(play, { deps: { system: { ...system, sleep: counted } } });
    const begun = performance.now();
    expect(await call('plain', { onProgress: ({ progress }) => heard.push(progress) })).toEqual(said('ok'));
    const seconds = (performance.now() - begun) / 1_000;
    expect(heard.length).toBeLessThanOrEqual(12 + 10 * Math.ceil(seconds));
    expect(heard.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // One timer waits at a time, however many notifications arrive.
    expect(timers).toBeLessThanOrEqual(2 + 10 * Math.ceil(seconds));
    const atEnd = heard.length;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(heard).toHaveLength(atEnd);
  });

  it('ends when the caller aborts, and notifies the server', async () => {
    const { call, mcp } = await openCalls(() => undefined);
    const controller = new AbortController();
    const calling = call('plain', { signal: controller.signal });
    await expect.poll(() => mcp.headersOf('tools/call').length).toBe(1);
    controller.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    await expect.poll(() => mcp.headersOf('notifications/cancelled').length).toBe(1);
  });

  it.each([
    ['app-yanked', { reason: 'bad' }, 'yanked'],
    ['app-switched', { on: false }, 'switched-off'],
    ['app-removed', {}, 'not-installed'],
    ['app-updated', {}, 'switched-off'],
  ] as const)('ends at once on %s, and closes its connection', async (type, rest, code) => {
    const { call, app, events, mcp } = await openCalls(() => undefined);
    const calling = call('plain');
    await expect.poll(() => mcp.headersOf('tools/call').length).toBe(1);
    const socket = mcp.asked.at(-1)?.request.socket;
    const closed = socket && once(socket, 'close');
    events.emit({ type, appId: app.appId, version: app.version, ...rest } as never);
    await expect(calling).rejects.toEqual(refused(code));
    await closed;
  });

  it('ends while it waits for the user, and closes the card', async () => {
    let cardEnded = false;
    const { call, app, events, cards } = await openCalls(() => text('never'), {
      deps: {
        ask: (_card, signal) =>
          new Promise((_resolve, reject) => {
            cards.push(_card);
            signal.addEventListener('abort', () => {
              cardEnded = true;
              reject(signal.reason);
            });
          }),
      },
    });
    const calling = call('confirmed');
    await expect.poll(() => cards.length).toBe(1);
    events.emit({ type: 'app-yanked', appId: app.appId, version: app.version, reason: 'bad' });
    await expect(calling).rejects.toEqual(refused('yanked'));
    expect(cardEnded).toBe(true);
  });
});

describe('switching an app off', () => {
  it('in one project ends its calls there, and does not affect calls of other projects', async () => {
    const held = Promise.withResolvers<void>();
    let waiting = 0;
    const both = Promise.withResolvers<void>();
    const { call, app, mcp, ...opened } = await openCalls(async () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await held.promise;
      return text('ok');
    });
    const [mine, other] = [call('plain', { project: 'one' }), call('plain', { project: 'two' })];
    const ended = expect(mine).rejects.toEqual(refused('switched-off'));
    await both.promise;
    const { appId, version } = app;
    opened.events.emit({ type: 'app-switched', appId, version, on: false, project: 'one' });
    await ended;
    held.resolve();
    expect(await other).toEqual(said('ok'));
    expect(mcp.headersOf('initialize')).toHaveLength(1);
    const last = expect(call('plain', { project: 'two' })).resolves.toEqual(said('ok'));
    await last;
  });

  it('everywhere ends its calls in all projects', async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const { call, app, events } = await openCalls(() => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      return undefined;
    });
    const calls = ['one', 'two'].map((project) => call('plain', { project }));
    const ended = Promise.all(calls.map((one) => expect(one).rejects.toEqual(refused('switched-off'))));
    await both.promise;
    events.emit({ type: 'app-switched', appId: app.appId, version: app.version, on: false, project: null });
    await ended;
  });
});

describe('the calls of an app', () => {
  it.each([
    ['app-switched', { on: false, project: null }],
    ['app-removed', {}],
    ['app-updated', {}],
    ['app-yanked', { reason: 'bad' }],
  ])('end with their sessions after %s %j', async (type, rest) => {
    const { call, app, mcp, events } = await openCalls(() => text('ok'));
    await call('plain');
    events.emit({ type, appId: app.appId, version: app.version, ...rest } as never);
    await expect.poll(async () => (await call('plain')) && mcp.headersOf('initialize').length).toBe(2);
  });

  it.each([
    ['close', 'The app was closed.'],
    ['stop', 'The client is closing.'],
  ] as const)('end at %s with their sessions', async (how, message) => {
    const { call, calls, app, mcp, events } = await openCalls(({ message: { id } }) =>
      mcp.asked.length > 4 && id !== undefined ? undefined : text('ok'),
    );
    await call('plain');
    const running = call('plain');
    await expect.poll(() => mcp.headersOf('tools/call').length).toBe(2);
    const socket = mcp.asked.at(-1)?.request.socket;
    const closed = socket && once(socket, 'close');
    const ended = expect(running).rejects.toMatchObject({ code: 'switched-off', message });
    await (how === 'close' ? calls.close(app.appId) : calls.stop());
    await ended;
    await closed;
    // A client that is closed hears no events.
    events.emit({ type: 'app-updated', appId: app.appId, version: '9.9.9' });
  });

  it('start without faults and repairs after an update', async () => {
    const { call, calls, app, events } = await openCalls(({ response }) => void json(response, {}, 502), {
      app: { source: { kind: 'developer', folder: '/app' } },
      server: { tools: [{ name: 'plain' }] },
    });
    await calls.tools(app);
    await expect(call('plain')).rejects.toEqual(refused('server-failed'));
    expect(calls.toolsNow(app).repairs).not.toEqual([]);
    expect(calls.serverFault(app.appId)).not.toBeNull();
    events.emit({ type: 'app-updated', appId: app.appId, version: '9.9.9' });
    expect(calls.toolsNow(app).repairs).toEqual([]);
    expect(calls.serverFault(app.appId)).toBeNull();
  });
});
