import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listModels } from '../../src/chat/list-models.ts';
import { ModelError } from '../../src/chat/model-fault.ts';
import { type StepEvent, streamStep } from '../../src/chat/model-server.ts';
import type { ChatMessage, ChatPart } from '../../src/wire/chat.ts';
import { openChatOn } from '../support/chat-desktop.ts';
import { openTestDesktop } from '../support/test-desktop.ts';

type Chunk = Record<string, unknown>;

/** A server of a provider that sends each chunk as an event, and each text unchanged. */
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

describe('reading the stream of an OpenAI-compatible server', () => {
  it.each(['reasoning_content', 'reasoning'])('keeps %s apart from the text', async (field) => {
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
  });

  it('joins the chunks of a call: the name first, arguments in single characters, an index that starts at 1', async () => {
    const url = await serverOf([
      chunk({ role: 'assistant', content: null }),
      toolCall(1, { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '' } }),
      ...[...'{"path":"a.txt"}'].map((piece) => toolCall(1, { function: { arguments: piece } })),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    expect(callsOf(await heard(url))).toEqual([['read_file', { path: 'a.txt' }]]);
  });

  it('accepts calls in a single chunk each, and several calls in one response', async () => {
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

  it('returns null as the arguments of a call when they are not valid JSON', async () => {
    const url = await serverOf([
      toolCall(0, { id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":' } }),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    expect(callsOf(await heard(url))).toEqual([['read_file', null]]);
  });

  it('ignores comments, accepts CRLF, and joins characters that are split between packets', async () => {
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
    ['a chunk that is not valid JSON', ['data: {nonsense\n\n'], 200],
    ['an error page of a proxy', ['<html>Bad gateway</html>'], 502],
  ] as const)('throws a ModelError on %s', async (_, chunks, status) => {
    const url = await serverOf(chunks, { status });
    await expect(heard(url)).rejects.toBeInstanceOf(ModelError);
  });
});

describe('a server that answers badly', () => {
  const eventsOf = async (chunks: readonly (Chunk | string)[], options = {}) =>
    heard(await serverOf(chunks, options));

  it('is stopped while it asks for too many calls, or for calls with too many arguments', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) =>
      toolCall(at, { id: `c${at}`, function: { name: 'read_file', arguments: '{}' } }),
    );
    await expect(eventsOf(many)).rejects.toMatchObject({ code: 'flood' });
    const long = Array.from({ length: 40 }, () =>
      toolCall(0, { function: { arguments: 'x'.repeat(32 * 1024) } }),
    );
    const first = toolCall(0, { id: 'c', function: { name: 'read_file', arguments: '"' } });
    await expect(eventsOf([first, ...long])).rejects.toMatchObject({ code: 'flood' });
  });

  it('may send a call of 512 KiB in pieces of eight characters', async () => {
    const pieces = Array.from({ length: 65_536 }, () => toolCall(0, { function: { arguments: 'abcdefgh' } }));
    const first = toolCall(0, { id: 'c', function: { name: 'read_file', arguments: '{"text":"' } });
    const last = toolCall(0, { function: { arguments: '"}' } });
    const [[, args] = []] = callsOf(await eventsOf([first, ...pieces, last, chunk({}, 'tool_calls')]));
    expect(String((args as { text: string }).text)).toHaveLength(512 * 1024);
  });

  it('may send a megabyte of thoughts, and gets back none that is longer than it may be', async () => {
    const thought = chunk({ reasoning_content: 'x'.repeat(100_000) });
    const events = await eventsOf([...Array(10).fill(thought), chunk({ content: 'Hi' }, 'stop'), DONE]);
    const kept = events.find((event) => event.type === 'kept');
    expect([textOf(events, 'reasoning').length, kept?.kept.fields?.reasoning_content]).toEqual([
      1_000_000,
      'x'.repeat(1_000_000),
    ]);
    await expect(eventsOf(Array(11).fill(thought))).rejects.toMatchObject({ code: 'too-long' });
    const details = Array.from({ length: 30 }, (_, index) => ({
      type: 'x',
      data: 'x'.repeat(150_000),
      index,
    }));
    const noted = await eventsOf([chunk({ reasoning_details: details, content: 'Hi' }, 'stop'), DONE]);
    expect(noted.some((event) => event.type === 'kept')).toBe(false);
  });

  it('gets ids of calls back that it gave twice only once, and a signature as it was at last', async () => {
    const called = (index: number, signature: string) =>
      toolCall(index, {
        ...{ id: 'same', function: { name: 'read_file', arguments: '{}' } },
        extra_content: { google: { thought_signature: signature } },
      });
    const again = toolCall(1, { extra_content: { google: { thought_signature: 'third' } } });
    const events = await eventsOf([called(0, 'first'), called(1, 'second'), again, chunk({}, 'tool_calls')]);
    const kept = events.find((event) => event.type === 'kept');
    expect(kept?.kept.calls).toEqual([
      { id: 'same', beside: { extra_content: { google: { thought_signature: 'first' } } } },
      { id: null, beside: { extra_content: { google: { thought_signature: 'third' } } } },
    ]);
  });

  it('may answer without streaming: a whole document with text, thoughts and calls', async () => {
    const calls = ['a', 'b'].map((text) => ({
      ...{ id: `call-${text}`, type: 'function' },
      function: { name: 'send', arguments: JSON.stringify({ text }) },
    }));
    const message = { role: 'assistant', content: 'Both.', reasoning_content: 'Two.', tool_calls: calls };
    const whole = {
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    };
    const events = await heard(await serverOf([`\n${JSON.stringify(whole, null, 2)}`], { pieces: 7 }));
    expect([textOf(events, 'text'), textOf(events, 'reasoning')]).toEqual(['Both.', 'Two.']);
    expect(callsOf(events)).toEqual([
      ['send', { text: 'a' }],
      ['send', { text: 'b' }],
    ]);
  });

  it.each([
    ['a document', '[', '['.repeat(65_536)],
    ['an event', 'data: "', 'x'.repeat(65_536)],
    ['events', 'data: {}\n\n', `data: ${JSON.stringify(chunk({ content: 'x'.repeat(65_000) }))}\n\n`],
  ])('is stopped where %s never ends', async (_what, first, next) => {
    let isOpen = true;
    const server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const more = () => {
        while (isOpen && response.write(next));
        if (isOpen) response.once('drain', more);
      };
      response.on('close', () => {
        isOpen = false;
      });
      response.write(first);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await expect(heard(url)).rejects.toMatchObject({ code: 'too-long' });
    await expect.poll(() => isOpen).toBe(false);
  });

  it('may leave the stream open after the end of its answer', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk({ content: 'All' }, 'stop'))}\n\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    expect(textOf(await heard(url), 'text')).toBe('All');
  });

  it.each([
    ['garbage', ['data: {nonsense\n\n'], /not an answer\. \{nonsense/],
    ['garbage', ['upstream connect error\n'], /upstream connect error/],
    ['busy', [{ error: { message: 'The engine is overloaded', code: 503 } }], /The engine is overloaded/],
    ['model', [{ object: 'error', message: 'model x not found', code: 404 }], /model x not found/],
  ] as const)('is reported as %s, in its own words', async (code, chunks, words) => {
    await expect(eventsOf(chunks)).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
  });

  it('is reported as cut when the connection breaks within the answer', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk({ content: 'Half' }))}\n\n`, () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await expect(heard(url)).rejects.toMatchObject({ code: 'cut' });
  });
});

it('stops reading an endless list of models', async () => {
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    const piece = Buffer.alloc(1024 * 1024, ' ');
    const write = () => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
    };
    response.on('drain', write).on('close', closed.resolve);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const listing = listModels({ name: 's', baseUrl, key: null }, new AbortController().signal);
  await expect(listing).rejects.toMatchObject({ name: 'ModelError', code: 'too-long' });
  await closed.promise;
  // The limit, and what the connection buffers.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

const STREAMS = join(import.meta.dirname, 'streams');

/** A provider that answers the first request with the stream of a file, and later ones with `Done.` */
async function providerOf(name: string): Promise<string> {
  const lines = readFileSync(join(STREAMS, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const answers = [lines, [JSON.stringify(chunk({ content: 'Done.' }, 'stop'))]];
  const server = createServer((request, response) => {
    if (request.url === '/v1/models')
      return void response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const chunks = answers.length > 1 ? answers.shift() : answers[0];
    for (const line of chunks ?? []) response.write(`data: ${line}\n\n`);
    response.end(DONE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** One part as the chat shows it. */
function shownAs(part: ChatPart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return `${part.type}: ${part.text}`;
    case 'call':
      return `call: ${part.call.tool} ${JSON.stringify(part.call.arguments)}`;
    case 'usage':
      return `usage: ${part.input} in, ${part.output} out`;
    case 'notice':
      return `notice: ${part.code}`;
    case 'file':
      return `file: ${part.file.name}`;
    case 'summary':
      return `summary: ${part.text}`;
  }
}

const shown = ({ status, fault, parts }: ChatMessage): string[] => [
  ...parts.map(shownAs),
  fault ? `${status}: ${fault.code}` : status,
];

/** What the chat shows of each stream. After a call, it sends a second request, which is answered with `Done.` */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'azure-text': ['text: Good morning', 'usage: 21 in, 4 out', 'done'],
  'mistral-thinking': ['reasoning: Six times seven. That is 42.', 'text: 42', 'usage: 17 in, 29 out', 'done'],
  'xai-tool-call': [
    'reasoning: The user wants the weather.',
    'usage: 301 in, 25 out',
    'call: weather {"city":"Bergen"}',
    'text: Done.',
    'done',
  ],
  'openai-text-and-call': [
    'text: Let me look.',
    'usage: 58 in, 12 out',
    'call: weather {}',
    'text: Done.',
    'done',
  ],
  'openai-parallel-calls': [
    'call: weather {"city":"Oslo"}',
    'call: tides {"place":"Bodø"}',
    'text: Done.',
    'done',
  ],
  'openai-refusal': ['text: I can’t help with that.', 'notice: filtered', 'done'],
  'empty-tool-calls': ['reasoning: One moment.', 'text: Here', 'done'],
  'placeholder-first-chunk': ['text: Hi', 'usage: 10 in, 1 out', 'done'],
  'fallback-call-from-one': ['text: Reading it.', 'call: read_file {"path":"a.txt"}', 'text: Done.', 'done'],
  'name-in-a-later-chunk': ['call: weather {"city":"Turku"}', 'text: Done.', 'done'],
  'empty-chunk-behind-a-call': ['call: weather {"city":"Lund"}', 'text: Done.', 'done'],
  'call-without-a-name': ['text: Now', 'failed: garbage'],
  'error-in-the-stream': ['text: So far', 'failed: busy'],
  'cut-at-the-length': ['text: It goes on and', 'notice: cut', 'usage: 5 in, 4096 out', 'done'],
};

describe('the chat with streams in the forms of several providers, over real HTTP', () => {
  it('has an expected result for every stream', () => {
    const files = readdirSync(STREAMS).filter((name) => name.endsWith('.jsonl'));
    expect(files.map((name) => name.replace('.jsonl', '')).sort()).toEqual(Object.keys(SHOWN).sort());
  });

  it.each(Object.entries(SHOWN))('%s', async (name, expected) => {
    const desktop = await openTestDesktop();
    const { say } = await openChatOn(desktop, { baseUrl: await providerOf(name), model: 'm' });
    expect(shown(await say('Hi'))).toEqual(expected);
  });
});
