import { describe, expect, it } from 'vitest';
import { lenientFetch } from '../../../src/calls/lenient/lenient-fetch.ts';
import { createLineFilter } from '../../../src/calls/lenient/limit-notifications.ts';
import { refused } from '../../support/refused.ts';
import { system } from '../../support/system.ts';

const progress = (n: number, more = '') =>
  `event: message\nid: ${n}\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n, message: more } })}\n\n`;

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
    expect(() => filter.read('y\n'.repeat(100_000))).toThrow('too many messages');
  });

  it('drops the notifications of a program also after a line of any length', () => {
    const filter = createLineFilter(() => 0);
    const line = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n';
    const long = 'x'.repeat(20_000);
    expect(filter.read(long) + filter.read('x\n')).toBe(`${long}x\n`);
    expect(numbersIn(filter.read(line.repeat(40)) + filter.read(line.repeat(40)))).toHaveLength(50);
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
    while (!read.includes('"progress":999'))
      read += Buffer.from((await reader.read()).value ?? []).toString();
    await writer.close();
    expect(numbersIn(read).length).toBeLessThan(200);
    expect(numbersIn(read).at(-1)).toBe(999);
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
