import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { RuntimeError } from '../../../src/index.ts';
import { createBridge, type Method, method } from '../../../src/panels/bridge/bridge.ts';
import { BRIDGE_LIMITS } from '../../../src/panels/bridge/messages.ts';

function open(methods: Record<string, Method> = {}) {
  const sent: {
    id?: unknown;
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  }[] = [];
  const overstepped: string[] = [];
  const faults: unknown[] = [];
  let time = 0;
  const bridge = createBridge({
    system: { now: () => time },
    methods: new Map(
      Object.entries({ echo: method(z.strictObject({ text: z.string() }), (params) => params), ...methods }),
    ),
    notified: () => {},
    send: (text) => sent.push(JSON.parse(text)),
    limitExceeded: (reason) => overstepped.push(reason),
    onFault: (fault) => faults.push(fault),
  });
  return {
    bridge,
    sent,
    overstepped,
    faults,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const request = (id: unknown, name: string, params: unknown = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: name, params });

describe('the bridge', () => {
  it('answers a request under its id', async () => {
    const { bridge, sent } = open();
    bridge.receive(request(7, 'echo', { text: 'a' }));
    await soon();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 7, result: { text: 'a' } }]);
  });

  it.each([
    ['invalid JSON', '{', -32_700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"echo"}]', -32_600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"echo"}', -32_600],
    ['an object as an id', '{"jsonrpc":"2.0","id":{"a":1},"method":"echo"}', -32_600],
    ['null', 'null', -32_600],
    ['a key that JSON-RPC does not have', '{"jsonrpc":"2.0","id":1,"method":"echo","origin":"x"}', -32_600],
    ['a __proto__ key', '{"jsonrpc":"2.0","id":1,"method":"echo","__proto__":{"result":1}}', -32_600],
    ['deep nesting', `${'['.repeat(30_000)}`, -32_700],
  ])('refuses %s', async (_what, text, code) => {
    const { bridge, sent } = open();
    bridge.receive(text);
    await soon();
    expect(sent.map(({ id, error }) => [id, error?.code])).toEqual([[null, code]]);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'tools/call', ''])(
    'has no method %j',
    async (name) => {
      const { bridge, sent } = open();
      bridge.receive(request(1, name));
      await soon();
      expect(sent[0]?.error?.code).toBe(-32_601);
    },
  );

  it.each([
    ['{"text":1}'],
    ['{"text":"a","more":1}'],
    ['{"text":"a","__proto__":{"polluted":1}}'],
    ['{"__proto__":{"text":"a"}}'],
    ['["a"]'],
    ['"text"'],
  ])('checks parameters: %s', async (params) => {
    const { bridge, sent } = open();
    bridge.receive(`{"jsonrpc":"2.0","id":1,"method":"echo","params":${params}}`);
    await soon();
    expect(sent[0]?.error?.code).toBe(-32_602);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('sends the code of an error to a panel, and no other details', async () => {
    const { bridge, sent, faults } = open({
      no: method(z.looseObject({}), () => {
        throw new RuntimeError('not-connected', 'token abc123 was refused', {
          detail: { accountId: 'abc123' },
        });
      }),
      fault: method(z.looseObject({}), () => Promise.reject(new Error('secret abc123 in /home'))),
    });
    bridge.receive(request(1, 'no'));
    bridge.receive(request(2, 'fault'));
    await soon();
    expect(sent.map(({ error }) => [error?.code, error?.data])).toEqual([
      [-32_000, { code: 'not-connected' }],
      [-32_603, undefined],
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/abc123|home/);
    expect(faults).toHaveLength(1);
  });

  it('limits concurrent requests, and rejects an id that is in use', async () => {
    let go: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { bridge, sent } = open({ wait: method(z.looseObject({}), () => gone) });
    for (let id = 0; id <= BRIDGE_LIMITS.requestsInFlight; id += 1) bridge.receive(request(id, 'wait'));
    bridge.receive(request(0, 'wait'));
    expect(sent.map(({ id, error }) => [id, error?.data ?? error?.code])).toEqual([
      [BRIDGE_LIMITS.requestsInFlight, { code: 'too-many' }],
      [0, -32_600],
    ]);
    go();
    await soon();
    expect(sent.filter(({ result }) => result)).toHaveLength(BRIDGE_LIMITS.requestsInFlight);
  });

  it('reports a panel that exceeds the burst, and one that exceeds the rate', () => {
    const { bridge, overstepped, pass } = open();
    const { burst, perSecond } = BRIDGE_LIMITS.messages;
    for (let i = 0; i < burst; i += 1) bridge.receive(request(i, 'none'));
    expect(overstepped).toEqual([]);
    bridge.receive(request('more', 'none'));
    expect(overstepped).toEqual(['flooded']);
    pass(1_000);
    for (let i = 0; i < perSecond; i += 1) bridge.receive(request(i, 'none'));
    expect(overstepped).toHaveLength(1);
    bridge.receive(request('more', 'none'));
    expect(overstepped).toHaveLength(2);
  });

  it.each([
    ['x'.repeat(BRIDGE_LIMITS.messageChars + 1)],
    [{ jsonrpc: '2.0' }],
    [new ArrayBuffer(8)],
    [null],
    [undefined],
  ])('reports a message that is too long or not a text', (message) => {
    const { bridge, overstepped } = open();
    bridge.receive(message);
    expect(overstepped).toEqual(['message-too-large']);
  });

  it('aborts a request that the panel cancels, and does not answer it', async () => {
    const aborted = vi.fn();
    const wait = (_params: unknown, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted();
          reject(signal.reason);
        });
      });
    const { bridge, sent, faults } = open({ wait: method(z.looseObject({}), wait) });
    bridge.receive(request(1, 'wait'));
    bridge.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    bridge.receive(request(2, 'wait'));
    await soon();
    bridge.close();
    await soon();
    expect(aborted).toHaveBeenCalledTimes(2);
    expect([sent, faults]).toEqual([[], []]);
  });

  it('sends a request to a panel, and accepts any answer with its id', async () => {
    const { bridge, sent } = open();
    const asked = bridge.request('ui/resource-teardown', { reason: 'closed' });
    bridge.receive('{"jsonrpc":"2.0","id":99,"result":{}}');
    bridge.receive(`{"jsonrpc":"2.0","id":${sent[0]?.id},"error":{"code":1}}`);
    await asked;
    const left = bridge.request('ui/resource-teardown', { reason: 'closed' });
    bridge.close();
    await left;
    bridge.receive(request(1, 'echo', { text: 'a' }));
    bridge.notify('late', {});
    await soon();
    expect(sent).toHaveLength(2);
  });
});
