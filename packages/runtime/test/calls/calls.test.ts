import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { BuiltInApp } from '../../src/built-in/built-in-app.ts';
import { requireChat, requireProject } from '../../src/calls/calls.ts';
import { NO_PINS, type Pins } from '../../src/calls/pins/pins.ts';
import type { ApprovalCard } from '../../src/cards/card.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { openCalls, said, TOKEN, tokensOf } from '../support/calls.ts';
import { json, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

describe('a call', () => {
  it('passes its arguments to the tool, and returns the result of the tool', async () => {
    const { call, told, mcp } = await openCalls(({ message }) => ({
      content: [{ type: 'text', text: JSON.stringify(message.params.arguments) }],
      structuredContent: { a: 1 },
    }));
    const result = await call('plain', { arguments: { b: [1, null], a: 'x' } });
    expect(result).toEqual({
      isError: false,
      parts: [{ type: 'text', text: '{"a":"x","b":[1,null]}' }],
      structured: { a: 1 },
      files: [],
    });
    const about = { tool: 'plain', chat: expect.any(String) };
    expect(told).toMatchObject(['call-started', 'call-ended'].map((type) => ({ type, ...about })));
    const [headers] = mcp.headersOf('tools/call');
    for (const name of ['authorization', 'x-svc-project', 'x-svc-chat'])
      expect(headers?.[name]).toBeUndefined();
  });

  it('shares one session with concurrent and later calls', async () => {
    const { call, mcp } = await openCalls(() => text('ok'));
    await Promise.all([call('plain'), call('plain'), call('plain')]);
    await call('plain');
    expect(mcp.headersOf('initialize')).toHaveLength(1);
    expect(mcp.headersOf('tools/call')).toHaveLength(4);
  });

  it('starts a new session when the server no longer knows the old one', async () => {
    let lost = false;
    const { call, mcp } = await openCalls(() => text('ok'), {
      server: {
        before({ message, response }) {
          if (!lost || message.method !== 'tools/call') return false;
          lost = false;
          json(response, {}, 404);
          return true;
        },
      },
    });
    await call('plain');
    lost = true;
    expect(await call('plain')).toEqual(said('ok'));
    expect(mcp.headersOf('initialize')).toHaveLength(2);
  });

  it.each(['unknown', 'constructor', '__proto__', 'Plain', ''])(
    'of %j, which is not declared, is refused without a request',
    async (tool) => {
      const { call, mcp } = await openCalls(() => text('never'), { server: { tools: [{ name: tool }] } });
      await expect(call(tool)).rejects.toEqual(refused('unknown-tool'));
      expect(mcp.asked).toHaveLength(0);
    },
  );

  it('is refused for an app that is off or yanked', async () => {
    const off = await openCalls(() => text('never'), { app: { on: false } });
    await expect(off.call('plain')).rejects.toEqual(refused('switched-off'));
    const gone = await openCalls(() => text('never'), {
      app: { yanked: { reason: 'bad', at: '2026-01-01', comesBack: true } },
    });
    await expect(gone.call('plain')).rejects.toEqual(refused('yanked'));
    expect(gone.mcp.asked).toHaveLength(0);
  });

  it.each(['', 'a b', 'x'.repeat(201), undefined, 7])('is refused with %j as its project or chat', (id) => {
    expect(() => requireProject(id)).toThrow(/^The project id has 1 to 200/);
    expect(() => requireChat(id)).toThrow(/^The chat id has 1 to 200/);
  });

  it('is refused without a project or a chat, and a list of an app that is off', async () => {
    const { call, calls, app, mcp } = await openCalls(() => text('never'));
    for (const where of [{ project: '' }, { chat: 'a b' }])
      await expect(call('plain', where)).rejects.toThrow(TypeError);
    await expect(calls.tools({ ...app, on: false })).rejects.toEqual(refused('switched-off'));
    expect(mcp.asked).toEqual([]);
  });

  it('is refused when its arguments are not JSON or too large', async () => {
    const { call } = await openCalls(() => text('never'));
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const value of [circular, { a: 1n }, { a: Number.NaN }, { a: '\ud800' }, { a: () => 1 }]) {
      await expect(call('plain', { arguments: value })).rejects.toEqual(refused('invalid-arguments'));
    }
    await expect(call('plain', { arguments: { a: 'x'.repeat(2 ** 20) } })).rejects.toEqual(
      refused('too-large'),
    );
  });

  it('waits while 16 other calls run, and is refused where 64 wait', async () => {
    const open: (() => void)[] = [];
    let isHeld = true;
    const { call } = await openCalls(async () => {
      if (isHeld) await new Promise<void>((done) => open.push(done));
      return text('ok');
    });
    const calls = Array.from({ length: 16 + 64 }, () => call('plain'));
    await expect(call('plain')).rejects.toEqual(refused('too-many'));
    await expect.poll(() => open.length).toBe(16);
    isHeld = false;
    for (const done of open) done();
    for (const answer of await Promise.all(calls)) expect(answer).toEqual(said('ok'));
    expect(open).toHaveLength(16);
  });

  it.each([
    [undefined, 2 * 60_000],
    [1_000, 1_000],
    [60 * 60_000, 10 * 60_000],
  ])('with the time limit %j waits %i ms for its turn', async (timeoutMs, ms) => {
    const clock = stoppedClock();
    const { call } = await openCalls(() => undefined, { deps: { system: clock } });
    const closing = new AbortController();
    const { signal } = closing;
    const running = Array.from({ length: 16 }, () => call('plain', { signal }).catch(() => undefined));
    const waiting = call('plain', { signal, ...(timeoutMs !== undefined && { timeoutMs }) });
    let error: unknown = null;
    waiting.catch((thrown: unknown) => {
      error = thrown;
    });
    await clock.pass(ms - 1);
    expect(error).toBeNull();
    await clock.pass(1);
    expect(error).toEqual(refused('too-many'));
    closing.abort();
    await Promise.all(running);
  });

  it('that takes too long leaves its session to the others', async () => {
    let isSilent = true;
    const { call, mcp } = await openCalls(() => (isSilent ? undefined : text('ok')));
    await expect(call('plain', { timeoutMs: 300 })).rejects.toEqual(refused('too-slow'));
    isSilent = false;
    expect(await call('plain')).toEqual(said('ok'));
    expect(mcp.headersOf('initialize')).toHaveLength(1);
  });
});

describe('an answer that names an argument which the accepted description of the tool does not have', () => {
  const tools = [{ name: 'plain', inputSchema: { type: 'object', properties: { path: {} } } }];
  const listed = tools as Tool[];
  const pins = { ...NO_PINS, of: () => ({ listed, newParams: () => ['priority'] }) } as Pins;
  it.each([
    ['as text', text('Set priority first.'), '"priority"'],
    ['in its structure', { content: [], structuredContent: { missing: 'priority' } }, '"priority"'],
    ['of no description', text('Missing parameter: "level".'), '"level"'],
  ])('%s has a note at its end', async (_where, result, name) => {
    const { call } = await openCalls(() => result, { deps: { pins } });
    expect((await call('plain')).parts.at(-1)).toEqual({
      type: 'text',
      text: expect.stringContaining(`names ${name}, which the accepted`),
    });
  });

  it('has no note when it names only what is known', async () => {
    const { call } = await openCalls(() => text('Missing parameter: "path".'), { deps: { pins } });
    expect((await call('plain')).parts).toHaveLength(1);
  });

  it('has one when it is an error of the server, and no other error has one', async () => {
    let message = 'No priority.';
    const { call } = await openCalls(
      ({ response, message: { id } }) =>
        void json(response, { jsonrpc: '2.0', id, error: { code: -32602, message } }),
      { deps: { pins } },
    );
    await expect(call('plain')).rejects.toMatchObject({
      code: 'server-failed',
      message: expect.stringMatching(/No priority\..*names "priority", which/),
      detail: expect.objectContaining({ rpc: -32602 }),
    });
    message = 'It is closed.';
    await expect(call('plain')).rejects.toMatchObject({
      message: expect.stringMatching(/It is closed\.”?$/),
    });
    await expect(call('unknown')).rejects.toEqual(refused('unknown-tool'));
  });
});

describe('an approval', () => {
  const attachments = [
    { name: 'one.txt', bytes: Buffer.from('one') },
    { name: 'two.txt', bytes: Buffer.from('two') },
  ];

  it('shows the arguments and files, and exactly these are sent', async () => {
    const given: Record<string, unknown> = { to: 'ada', list: [1] };
    const files = attachments.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) }));
    const contentsSeen: (string | null)[] = [];
    const { call, cards } = await openCalls(({ message }) => text(JSON.stringify(message.params.arguments)), {
      answer(card, contents) {
        for (const index of [0, 1, 2]) {
          const bytes = contents?.(index) ?? null;
          contentsSeen.push(bytes && Buffer.from(bytes).toString());
          bytes?.fill(88);
        }
        // The agent changes the objects while the user reads the card.
        given.to = 'eve';
        (given.list as number[]).push(2);
        files[0]?.bytes.fill(88);
        return { accepted: true, binding: (card as ApprovalCard).binding };
      },
    });
    const result = await call('confirmed', { arguments: given, files: { attachments: files } });
    expect(cards[0]).toMatchObject({
      kind: 'approval',
      title: 'Send 2 files?',
      html: '<p><strong>Really?</strong></p>',
      action: 'Approve',
      arguments: { to: 'ada', list: [1] },
      files: [
        { name: 'one.txt', type: 'text/plain', bytes: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { name: 'two.txt' },
      ],
    });
    // The card has a copy of what is sent: changes to the copy have no effect.
    expect(contentsSeen).toEqual(['one', 'two', null]);
    const [part] = result.parts;
    expect(part?.type === 'text' && JSON.parse(part.text)).toEqual({
      to: 'ada',
      list: [1],
      attachments: [
        { name: 'one.txt', mimeType: 'text/plain', data: Buffer.from('one').toString('base64') },
        { name: 'two.txt', mimeType: 'text/plain', data: Buffer.from('two').toString('base64') },
      ],
    });
  });

  it.each([
    ['declined', { accepted: false }],
    ['accepted without its binding', { accepted: true }],
    ['accepted with another binding', { accepted: true, binding: '0'.repeat(64) }],
  ] as const)('that is %s makes no call', async (_name, answer) => {
    const { call, mcp } = await openCalls(() => text('never'), { answer: () => answer });
    await expect(call('confirmed')).rejects.toEqual(refused('declined'));
    expect(mcp.asked).toHaveLength(0);
  });

  it('of one call is not valid for another', async () => {
    let first: string | undefined;
    const { call } = await openCalls(() => text('ok'), {
      answer(card) {
        first ??= (card as ApprovalCard).binding;
        return { accepted: true, binding: first };
      },
    });
    await call('confirmed', { arguments: { amount: 1 } });
    await expect(call('confirmed', { arguments: { amount: 1_000 } })).rejects.toEqual(refused('declined'));
  });
});

describe('the account of a connector', () => {
  it.each([
    ['added before its first sign-in', undefined],
    ['taken away when that fails', new RuntimeError('connect-failed')],
  ])('is %s', async (_what, failure) => {
    const { tokens } = tokensOf(null, TOKEN);
    const done: string[] = [];
    const { call } = await openCalls(() => text('ok'), {
      deps: {
        tokens: {
          ...tokens,
          async connect(...request) {
            done.push('connect');
            if (failure) throw failure;
            await tokens.connect(...request);
          },
        },
        addAccount({ appId }) {
          done.push(`add to ${appId}`);
          return () => done.push('undo');
        },
      },
    });
    const added = ['add to com.example.notes', 'connect'];
    if (failure) await expect(call('mine')).rejects.toBe(failure);
    else expect(await call('mine')).toEqual(said('ok'));
    expect(done).toEqual(failure ? [...added, 'undo'] : added);
  });
});

it('the tools of a built-in app are the same objects each time', async () => {
  const tools = [{ name: 'plain', inputSchema: { type: 'object' as const } }];
  const { calls, app } = await openCalls(() => text('never'), {
    app: { source: { kind: 'built-in' } },
    deps: { builtIn: new Map([['com.example.notes', { tools } as unknown as BuiltInApp]]) },
  });
  const { tools: first, listed } = calls.toolsNow(app);
  expect([first.map(({ id }) => id), listed]).toEqual([['plain'], true]);
  expect(calls.toolsNow(app).tools).toBe(first);
});
