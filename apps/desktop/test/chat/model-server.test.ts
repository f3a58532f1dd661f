import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelError, type StepEvent, streamStep } from '../../src/chat/model-server.ts';

type Chunk = Record<string, unknown>;

/** What a server of some provider sends: each chunk as an event, as it stands. */
async function serverOf(chunks: readonly (Chunk | string)[], { status = 200, pieces = 1_000_000 } = {}) {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': status === 200 ? 'text/event-stream' : 'application/json' });
    const text = chunks
      .map((one) => (typeof one === 'string' ? one : `data: ${JSON.stringify(one)}\n\n`))
      .join('');
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += pieces) response.write(bytes.subarray(at, at + pieces));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const chunk = (delta: Chunk, reason?: string): Chunk => ({
  ...{ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm' },
  choices: [{ index: 0, delta, ...(reason !== undefined && { finish_reason: reason }) }],
});
const toolCall = (index: number, rest: Chunk) => chunk({ tool_calls: [{ index, ...rest }] });
const DONE = 'data: [DONE]\n\n';

const TOOLS = [{ name: 'read_file', description: 'x', inputSchema: { type: 'object', properties: {} } }];

async function heard(baseUrl: string): Promise<StepEvent[]> {
  const events: StepEvent[] = [];
  const step = {
    ...{ server: { name: 's', baseUrl, key: null }, model: 'm', instructions: '', tools: TOOLS },
    ...{ messages: [{ role: 'user' as const, content: 'Hi' }], signal: new AbortController().signal },
  };
  for await (const event of streamStep(step)) events.push(event);
  return events;
}

const textOf = (events: readonly StepEvent[], type: 'text' | 'reasoning'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');
const callsOf = (events: readonly StepEvent[]) =>
  events.flatMap((event) => (event.type === 'call' ? [[event.name, event.arguments]] : []));

describe('the streams of OpenAI-compatible servers', () => {
  it.each(['reasoning_content', 'reasoning'])(
    'keeps %s apart from the text, and needs no finish reason',
    async (field) => {
      const url = await serverOf([
        chunk({ role: 'assistant', [field]: 'First' }),
        chunk({ [field]: ', think' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({}, 'stop'),
        {
          id: 'x',
          object: 'chat.completion.chunk',
          created: 0,
          model: 'm',
          choices: [],
          usage: { prompt_tokens: 1 },
        },
        DONE,
      ]);
      const events = await heard(url);
      expect([textOf(events, 'reasoning'), textOf(events, 'text')]).toEqual(['First, think', 'Hello']);
    },
  );

  it('joins the pieces of a call: a name first, arguments by characters, an index that begins at one', async () => {
    const url = await serverOf([
      chunk({ role: 'assistant', content: null }),
      toolCall(1, { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '' } }),
      ...[...'{"path":"a.txt"}'].map((piece) => toolCall(1, { function: { arguments: piece } })),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    expect(callsOf(await heard(url))).toEqual([['read_file', { path: 'a.txt' }]]);
  });

  it('takes a call that is whole in one chunk, and several side by side', async () => {
    const whole = (index: number, path: string) =>
      toolCall(index, {
        ...{ id: `call_${index}`, type: 'function' },
        function: { name: 'read_file', arguments: JSON.stringify({ path }) },
      });
    const url = await serverOf([whole(0, 'a'), whole(1, 'b'), chunk({}, 'tool_calls'), DONE]);
    expect(callsOf(await heard(url))).toEqual([
      ['read_file', { path: 'a' }],
      ['read_file', { path: 'b' }],
    ]);
  });

  it('gives a call whose arguments are no JSON without any', async () => {
    const url = await serverOf([
      toolCall(0, { id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":' } }),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    expect(callsOf(await heard(url))).toEqual([['read_file', null]]);
  });

  it('reads comments, line ends of any kind, and characters that packets cut', async () => {
    const line = (one: Chunk) => `data: ${JSON.stringify(one)}\r\n\r\n`;
    const url = await serverOf(
      [': keep-alive\r\n\r\n', line(chunk({ content: 'Grüße 🌊' })), line(chunk({}, 'stop')), DONE],
      {
        pieces: 1,
      },
    );
    expect(textOf(await heard(url), 'text')).toBe('Grüße 🌊');
  });

  it.each([
    ['an error in the stream', [{ error: { message: 'overloaded', type: 'server_error' } }], 200],
    ['a chunk that is no JSON', ['data: {nonsense\n\n'], 200],
    ['a page of a proxy', ['<html>Bad gateway</html>'], 502],
  ] as const)('fails plainly on %s', async (_, chunks, status) => {
    const url = await serverOf(chunks, { status });
    await expect(heard(url)).rejects.toBeInstanceOf(ModelError);
  });
});
