import { describe, expect, it, vi } from 'vitest';
import { lenientFetch } from '../../../src/calls/lenient/lenient-fetch.ts';
import { createLineFilter, limitEvents } from '../../../src/calls/lenient/limit-notifications.ts';
import { refused } from '../../support/refused.ts';
import { system } from '../../support/system.ts';

const progress = (n: number, more = '') =>
  `event: message\nid: ${n}\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n, message: more } })}\n\n`;

/** A byte order mark, as a program's output is read. */
const MARK = Buffer.from('\u{feff}').toString('latin1');

const RESULT = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { structuredContent: { method: 'notifications/progress' }, text: 'ü€' } })}\n\n`;

/** What is left of a body that arrives in pieces of a size. */
async function through(body: string, size: number, type = 'text/event-stream; charset=utf-8') {
  const bytes = Buffer.from(body);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
  const answer = async () => new Response(stream, { headers: { 'content-type': type } });
  const limited = await lenientFetch(answer, { ...system, now: () => 0 })('https://app.example');
  return limited.text();
}

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/"progress":(\d+)/g)].map(([, n]) => Number(n));

describe('the stream of a server', () => {
  it.each([1, 7, 65_536])(
    'passes few notifications and all else unchanged, in pieces of %i bytes',
    async (size) => {
      const body = `: open\r\n\r\n${progress(1, 'ü')}data: {"a":\rdata: 1}\r\r${RESULT}`;
      expect(await through(body, size)).toBe(body);
    },
  );

  it('drops notifications above the rate, and keeps every event id', async () => {
    const flood = Array.from({ length: 5_000 }, (_, n) => progress(n + 1)).join('');
    const left = await through(flood + RESULT, 65_536);
    expect(numbersIn(left)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(left).toContain(RESULT);
    expect(left).toContain('id: 4999\n');
  });

  it('drops notifications without an id as a whole', async () => {
    const flood = Array.from({ length: 100 }, (_, n) => progress(n).replace(/id: .*\n/, '')).join('');
    const left = await through(flood + RESULT, 65_536);
    expect(left).toBe(
      `${Array.from({ length: 50 }, (_, n) => progress(n).replace(/id: .*\n/, '')).join('')}${RESULT}`,
    );
  });

  it('drops the notifications of a program above the rate, and passes its other lines', () => {
    const filter = createLineFilter(() => 0);
    const line = (n: number) =>
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n } })}\n`;
    const result = '{"jsonrpc":"2.0",\r"id":1,"result":{}}\r\n';
    const flood = Array.from({ length: 5_000 }, (_, n) => line(n)).join('');
    const kept = filter.read(flood + result);
    expect(numbersIn(kept)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(kept.endsWith(`}}\n${result}`)).toBe(true);
    expect(filter.isHolding()).toBe(true);
    filter.restart();
    expect(filter.read('y\n'.repeat(100_000))).toHaveLength(200_000);
    expect(() => filter.read('y\n')).toThrow('too many messages');
  });

  it.each<[string, string, number, boolean]>([
    ['progress', '{"method":"notifications/progress"}', 50, true],
    ['log', '{"method":"notifications/message"}', 50, false],
    ['progress with an id', '{"method":"notifications/progress","id":null}', 60, false],
    ['results', '{"x":"notifications/progress"}', 60, false],
    ['methods that are no texts', '{"method":["notifications/progress"]}', 60, false],
    ['texts', '"notifications/progress"', 60, false],
    ['lists', '["notifications/progress"]', 60, false],
    ['malformed lines', '{"method":"notifications/progress"', 60, false],
  ])('keeps of %s what is no notification, and holds progress alone', (_what, line, kept, isHolding) => {
    const filter = createLineFilter(() => 0);
    expect(filter.read(`${line}\n`.repeat(60))).toBe(`${line}\n`.repeat(kept));
    expect(filter.isHolding()).toBe(isHolding);
    expect(filter.release()).toBe('');
    expect(filter.isHolding()).toBe(isHolding);
  });

  it('passes on a long line of a program as it arrives, and drops the notifications after it', () => {
    const filter = createLineFilter(() => 0);
    const line = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n';
    const long = 'x'.repeat(20_000);
    expect(numbersIn(filter.read(line.repeat(60)))).toHaveLength(50);
    for (const part of [long, 'x', MARK, line.trim(), line]) expect(filter.read(part)).toBe(part);
    expect(filter.read(long)).toBe(long);
    expect(filter.read(`x\n${line}`) + filter.read(line)).toBe('x\n');
  });

  it('passes on what is held between lines alone, and each line of more than 16 KiB', () => {
    const filter = createLineFilter(Date.now);
    const line = (more: string) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"m":"${more}"}}\n`;
    const long = line('x'.repeat(17_000)).repeat(60);
    expect(filter.read(long)).toBe(long);
    let at = 0;
    const slow = createLineFilter(() => at);
    slow.read(line('').repeat(60));
    slow.read('x'.repeat(20_000));
    at = 10_000;
    expect(slow.release()).toBe('');
    slow.read('x\n');
    expect(slow.release()).toBe(line(''));
  });

  it('removes a byte order mark before a line of a program, whole or in pieces', () => {
    for (const size of [1, 2, 1_000]) {
      const filter = createLineFilter(() => 0);
      const pieces =
        `${MARK}{"id":1}\n${MARK}{"id":"${MARK}"}\n`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(pieces.map((piece) => filter.read(piece)).join('')).toBe(`{"id":1}\n{"id":"${MARK}"}\n`);
    }
  });

  it('drops a notification of 16 KiB that arrives in pieces', () => {
    const filter = createLineFilter(() => 0);
    const start = '{"method":"notifications/progress","x":"';
    const line = `${start.padEnd(16 * 1024 - 2, 'x')}"}`;
    const kept = Array.from({ length: 51 }, () => filter.read(line) + filter.read('\n')).join('');
    expect(kept).toBe(`${line}\n`.repeat(50));
  });

  it('passes on the newest notification of a program between its lines, and never within one', () => {
    let now = 0;
    const filter = createLineFilter(() => now);
    const line = (n: number) =>
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n } })}\n`;
    filter.read(`${Array.from({ length: 100 }, (_, n) => line(n)).join('')}{"jsonrpc":`);
    now = 60_000;
    expect(filter.release()).toBe('');
    filter.read('"2.0","id":1,"result":{}}\n');
    expect(filter.release()).toBe(line(99));
    expect(filter.isHolding()).toBe(false);
  });

  it('passes on the newest progress when the server is silent', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const answer = async () => new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
    const limited = await lenientFetch(answer, system)('https://app.example');
    const writer = writable.getWriter();
    void writer.write(Buffer.from(Array.from({ length: 1_000 }, (_, n) => progress(n)).join('')));
    const reader = (limited.body as ReadableStream<Uint8Array>).getReader();
    let read = '';
    const until = async (end: string) => {
      while (!read.includes(end)) read += Buffer.from((await reader.read()).value ?? []).toString();
    };
    await until('"progress":999');
    void writer.write(Buffer.from(RESULT));
    await until(RESULT);
    await writer.close();
    expect(numbersIn(read).length).toBeLessThan(200);
    expect(read.endsWith(`data: ${progress(999).split('data: ')[1]}${RESULT}`)).toBe(true);
    expect(read).not.toContain('null');
  });

  it('is not woken up while nothing waits, and is cancelled with its reader', async () => {
    const cancelled = vi.fn();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(RESULT)),
      cancel: cancelled,
    });
    const answer = async () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
    const sleep = vi.fn(() => Promise.resolve());
    const limited = await lenientFetch(answer, { ...system, sleep })('https://app.example');
    const reader = (limited.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(RESULT);
    await reader.cancel();
    expect(cancelled).toHaveBeenCalledOnce();
    expect(sleep).not.toHaveBeenCalled();
  });

  it('drops events of 16 KiB too, and no longer ones', async () => {
    const one = progress(1, 'x'.repeat(16 * 1024 - Buffer.byteLength(progress(1))));
    expect(Buffer.byteLength(one)).toBe(16 * 1024);
    expect(numbersIn(await through(one.repeat(60), 65_536))).toHaveLength(50);
    // Fewer characters, but more bytes.
    expect(numbersIn(await through(progress(1, 'é'.repeat(9_000)).repeat(60), 65_536))).toHaveLength(60);
  });

  it('passes a long event', async () => {
    const long = `data: {"jsonrpc":"2.0","method":"notifications/progress","x":"${'é'.repeat(100_000)}"}\n\n`;
    const body = progress(1) + long + RESULT;
    expect(await through(body, 1_000)).toBe(body);
  });

  it('ends a response with too many other messages', async () => {
    const ping = 'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n';
    await expect(through(ping.repeat(20_001), 65_536)).rejects.toEqual(refused('too-large'));
    expect(await through(': alive\n\n'.repeat(20_001), 65_536)).toHaveLength(9 * 20_001);
  });

  it('leaves other responses alone', async () => {
    const flood = Array.from({ length: 100 }, (_, n) => progress(n)).join('');
    expect(await through(flood, 65_536, 'text/plain')).toBe(flood);
  });
});

it('a report that the rate does not allow yet waits on', async () => {
  const written = async function* () {
    for (let n = 0; n < 60; n += 1) yield Buffer.from(progress(n));
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    yield Buffer.from(RESULT);
  };
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  const passed: string[] = [];
  for await (const event of limitEvents(written(), { now: () => 0, sleep })) passed.push(String(event));
  expect(passed.join('')).not.toContain('data: null');
  expect(passed.at(-1)).toBe(RESULT);
});
