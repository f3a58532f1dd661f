import { expect, it, vi } from 'vitest';
import { mayBeOlder, sseOnly } from '../../src/network/sse-only.ts';

const URL_OF = 'https://mcp.example.com/sse';

it.each<[number, string, boolean]>([
  [405, 'sse', true],
  [404, 'mcp', true],
  [400, 'sse', true],
  [415, 'sse/', true],
  // Streamable HTTP has a stream for GET too.
  [400, 'mcp', false],
  [401, 'sse', false],
  [500, 'sse', false],
  [200, 'sse', false],
])(
  'a server that refuses a message with %i at /%s may be one of the transport before: %s',
  (status, path, expected) => {
    expect(mayBeOlder(status, `https://mcp.example.com/${path}`)).toBe(expected);
  },
);

it.each<[string, string | null]>([
  ['text/event-stream; charset=utf-8', 'mcp.example.com has only the HTTP+SSE transport'],
  ['Text/Event-Stream', 'mcp.example.com has only the HTTP+SSE transport'],
  ['text/html', null],
])('a server that answers with %s: %s', async (type, expected) => {
  const cancel = vi.fn();
  const body = new ReadableStream({ cancel });
  const send = async () => new Response(body, { headers: { 'content-type': type } });
  expect(await sseOnly(send, URL_OF)).toEqual(expected && expect.stringContaining(expected));
  expect(cancel).toHaveBeenCalled();
});

it('a server that cannot be reached again, or refuses that too, is none', async () => {
  expect(await sseOnly(() => Promise.reject(new TypeError('no')), URL_OF)).toBeNull();
  const headers = { 'content-type': 'text/event-stream' };
  expect(await sseOnly(async () => new Response('', { status: 400, headers }), URL_OF)).toBeNull();
});
