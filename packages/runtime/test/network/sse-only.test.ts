import { expect, it, vi } from 'vitest';
import { sseOnly } from '../../src/network/sse-only.ts';

const STREAM = 'text/event-stream; charset=utf-8';

it.each<[number, string, string, boolean]>([
  [405, 'sse', STREAM, true],
  [404, 'mcp', STREAM, true],
  [400, 'sse', STREAM, true],
  [415, 'sse/', 'Text/Event-Stream', true],
  // Streamable HTTP has a stream for GET too.
  [400, 'mcp', STREAM, false],
  [405, 'sse', 'text/html', false],
  [401, 'sse', STREAM, false],
  [500, 'sse', STREAM, false],
  [200, 'sse', STREAM, false],
])(
  'a server that refuses a message with %i at /%s, and has %s there: %s',
  async (status, path, type, isOlder) => {
    const cancel = vi.fn();
    const body = new ReadableStream({ cancel });
    const send = async () => new Response(body, { headers: { 'content-type': type } });
    const said = await sseOnly(send, `https://mcp.example.com/${path}`, status);
    expect(said).toEqual(isOlder ? expect.stringMatching(/^mcp\.example\.com has only the HTTP\+SSE/) : null);
    if (isOlder) expect(cancel).toHaveBeenCalled();
  },
);

it('a server that cannot be reached again, or refuses that too, is none', async () => {
  const url = 'https://mcp.example.com/sse';
  expect(await sseOnly(() => Promise.reject(new TypeError('no')), url, 405)).toBeNull();
  const refused = async () => new Response('', { status: 400, headers: { 'content-type': STREAM } });
  expect(await sseOnly(refused, url, 405)).toBeNull();
});
