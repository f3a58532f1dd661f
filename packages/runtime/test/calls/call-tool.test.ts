import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type CallProgress, type CallRequest, callTool } from '../../src/calls/call-tool.ts';
import { createKnownTools } from '../../src/calls/known-tools.ts';
import { NO_PINS, type Pins } from '../../src/calls/pins/pins.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { panelApp } from '../support/panel-app.ts';
import { refused } from '../support/refused.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const tool = { id: 'plain', name: 'Plain', description: 'Does it.' };
const app = panelApp({
  grants: ['files:receive'],
  contributes: { tools: [tool, { ...tool, id: 'sends', files: { attachment: {} } }] },
} as never);

type Progress = { progress: number; total?: number; message?: string };
type Made = { report(progress: Progress): void; args: Record<string, unknown> };

type Options = { onProgress?: Made['report']; signal: AbortSignal; meta?: object };

/** A call at a server without a network, on a stopped clock. */
function calling(answer: (made: Made) => unknown = () => ({ content: [] }), pins: Pins = NO_PINS) {
  const clock = stoppedClock();
  const waits: number[] = [];
  const metas: (object | undefined)[] = [];
  const system = {
    ...clock,
    sleep(ms: number, signal?: AbortSignal) {
      waits.push(ms);
      return clock.sleep(ms, signal);
    },
  };
  const connection = {
    callTool(_name: string, args: Record<string, unknown>, { onProgress, signal, meta }: Options) {
      metas.push(meta);
      const { promise: ended, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason));
      const made = async () => answer({ args, report: (progress) => onProgress?.(progress) });
      return Promise.race([made(), ended]);
    },
  };
  const parts = {
    system,
    known: createKnownTools(pins),
    connectorSettings: { of: () => ({ questions: false }) },
    health: { responded: () => undefined, failed: () => undefined },
    sessions: {
      secretsOf: () => createSecrets(),
      use: async (_app: unknown, _account: unknown, _signal: unknown, work: (session: object) => unknown) =>
        work({ connection }),
    },
  };
  const call = (request: Partial<CallRequest> = {}) =>
    callTool(
      parts as unknown as Parameters<typeof callTool>[0],
      app,
      { tool: 'plain', arguments: {}, project: 'p', chat: 'c', ...request },
      new AbortController().signal,
    );
  return { call, waits, clock, metas };
}

describe('the progress of a call', () => {
  it('is reported ten times at once, then ten times a second, and at the end: the newest, with what it has', async () => {
    const heard: CallProgress[] = [];
    const ends = Promise.withResolvers<object>();
    const begun = Promise.withResolvers<Made>();
    const { call, clock, waits } = calling((made) => {
      begun.resolve(made);
      return ends.promise;
    });
    const result = call({ onProgress: (progress) => heard.push(progress) });
    const { report } = await begun.promise;
    const numbers = () => heard.splice(0).map(({ progress }) => progress);
    for (let n = 1; n <= 20; n += 1) report({ progress: n });
    expect(numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(waits.filter((ms) => ms === 100)).toHaveLength(1);
    await clock.pass(100);
    expect(numbers()).toEqual([20]);
    report({ progress: 21 });
    expect(numbers()).toEqual([]);
    await clock.pass(100);
    expect(numbers()).toEqual([21]);
    report({ progress: 21.1 });
    const passing = clock.pass(100);
    // It arrives at the end of the wait, before the report that waits is sent.
    report({ progress: 21.2 });
    await passing;
    expect(numbers()).toEqual([21.2]);
    await clock.pass(1_000);
    expect(numbers()).toEqual([]);
    report({ progress: 22, total: 30, message: 'x'.repeat(3_000) });
    expect(heard.splice(0)).toEqual([
      { progress: 22, total: 30, message: expect.stringMatching(/^x{400,499}…?/) },
    ]);
    for (let n = 23; n <= 40; n += 1) report({ progress: n });
    ends.resolve({ content: [] });
    await result;
    expect(heard.at(-1)).toStrictEqual({ progress: 40 });
    heard.splice(0);
    await clock.pass(1_000);
    await setImmediate();
    expect(heard).toEqual([]);
  });
});

it.each<[string, Partial<CallRequest>, number]>([
  ['two minutes', {}, 120_000],
  ['what its caller says', { timeoutMs: 5_000 }, 5_000],
  ['ten minutes at most', { timeoutMs: 3_600_000 }, 600_000],
])('a call has %s', async (_what, request, ms) => {
  const { call, waits } = calling();
  await call(request);
  expect(waits[0]).toBe(ms);
});

it('a call that makes progress has its time again, up to its longest', async () => {
  const begun = Promise.withResolvers<Made>();
  const { call, clock } = calling((made) => {
    begun.resolve(made);
    return new Promise(() => undefined);
  });
  let error: unknown = null;
  const ended = call({ timeoutMs: 1_000, maxMs: 1_500, onProgress: () => undefined }).catch(
    (thrown: unknown) => {
      error = thrown;
    },
  );
  const { report } = await begun.promise;
  await clock.pass(900);
  report({ progress: 1 });
  await clock.pass(599);
  expect(error).toBeNull();
  await clock.pass(1);
  await ended;
  expect(error).toEqual(refused('too-slow'));
});

it('a call has a mebibyte of arguments, as plain JSON, and no value in the place of files', async () => {
  const sent: unknown[] = [];
  const { call } = calling(({ args }) => {
    sent.push(args);
    return { content: [] };
  });
  const largest = { a: 'x'.repeat(1024 * 1024 - 8) };
  await call({ arguments: largest });
  expect(sent).toEqual([largest]);
  await expect(call({ arguments: { a: `${largest.a}x` } })).rejects.toEqual(refused('too-large'));
  await expect(call({ arguments: { a: 1n } as never })).rejects.toEqual(refused('invalid-arguments'));
  await expect(call({ tool: 'sends', arguments: { attachment: 'x' } })).rejects.toEqual(
    refused('file-refused'),
  );
  expect(sent).toHaveLength(1);
});

describe('what a server says of arguments that the accepted description does not have', () => {
  const pinsOf = (inputSchema: object): Pins => ({
    ...NO_PINS,
    of: () => ({ listed: [{ name: 'plain', inputSchema }] as never, newParams: () => ['priority', 'level'] }),
  });
  const KNOWN = { type: 'object', properties: { path: {} } };
  const content = (value: string) => [{ type: 'text', text: value }];

  it.each<[string, object, string | null, object?]>([
    ['two words', { content: content('No priority or level.') }, '"priority", "level", which'],
    ['words in two texts', { content: [...content('first'), ...content('level')] }, '"level", which'],
    ['a word in its structure', { content: [], structuredContent: { a: 'level' } }, '"level", which'],
    [
      'other names',
      {
        content: content(
          'Missing argument "a", "b" parameter, field: `c`, input "d", property "e", argument "f".',
        ),
      },
      '"a", "b", "c", "d", "e", which',
    ],
    ['known names', { content: content('Missing argument "path".') }, null],
    ['no name', { content: content('Levels and prioritypath.') }, null],
    ['a word after 16 KiB', { content: content(`${'x '.repeat(8_192)}level`) }, null],
    [
      'names of a tool that takes any argument',
      { content: content('Missing argument "a".') },
      null,
      { type: 'object' },
    ],
  ])('is noted: %s', async (_what, result, noted, schema = KNOWN) => {
    const { parts } = await calling(() => result, pinsOf(schema)).call();
    const note = parts.at(-1) as { text?: string } | undefined;
    if (noted === null) expect(parts).toHaveLength((result as { content: unknown[] }).content.length);
    else expect(note?.text).toContain(`[The app’s server names ${noted}`);
  });

  it('is not noted of a file, which is no argument for the server', async () => {
    const listed = [{ name: 'sends', inputSchema: { type: 'object', properties: {} } }];
    const pins: Pins = { ...NO_PINS, of: () => ({ listed: listed as never, newParams: () => [] }) };
    const answer = (name: string) => ({ content: content(`Missing argument "${name}".`) });
    const notes = async (name: string) =>
      (await calling(() => answer(name), pins).call({ tool: 'sends' })).parts.length - 1;
    expect([await notes('attachment'), await notes('other')]).toEqual([0, 1]);
  });

  it('is not noted before anything was accepted', async () => {
    const { parts } = await calling(() => ({ content: content('Missing argument "a".') })).call();
    expect(parts).toHaveLength(1);
  });

  it('is noted at an error of the server alone', async () => {
    const failing = (error: Error) => calling(() => Promise.reject(error), pinsOf(KNOWN)).call();
    const failed = new RuntimeError('server-failed', 'No level.', { detail: { rpc: 1 } });
    await expect(failing(failed)).rejects.toMatchObject({
      ...{ code: 'server-failed', detail: { rpc: 1 } },
      message: expect.stringMatching(/^No level\. The app’s server names "level", which/),
    });
    for (const error of [new RuntimeError('server-failed', 'No.'), new RuntimeError('too-slow', 'No level.')])
      await expect(failing(error)).rejects.toBe(error);
  });
});

describe('`_meta` of a call', () => {
  const sent = async (meta: CallRequest['meta']) => {
    const { call, metas } = calling();
    await call(meta === undefined ? {} : { meta });
    return metas;
  };

  it('is sent beside the arguments, as plain JSON, and is absent without one', async () => {
    const meta = { traceparent: '00-1', 'com.example/tenant': { id: 7 } };
    expect(await sent(meta)).toEqual([meta]);
    expect(await sent(undefined)).toEqual([undefined]);
  });

  it.each([
    'progressToken',
    'io.modelcontextprotocol/protocolVersion',
    'modelcontextprotocol.io/x',
    'dev.mcp/x',
    'tools.mcp.com/x',
  ])('may not have the reserved name %s', async (name) => {
    await expect(sent({ [name]: 1 })).rejects.toEqual(refused('invalid-arguments'));
  });

  it.each([['com.example.mcpserver/x'], ['mcp'], ['a/mcp/x']])('may have the name %s', async (name) => {
    expect(await sent({ [name]: 1 })).toEqual([{ [name]: 1 }]);
  });

  it('is bounded, and JSON alone', async () => {
    await expect(sent({ a: 'x'.repeat(64 * 1024) })).rejects.toEqual(refused('too-large'));
    await expect(sent({ a: () => 1 })).rejects.toEqual(refused('invalid-arguments'));
  });
});
