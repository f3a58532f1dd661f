import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { sendCacheable } from '../../src/http/send.ts';

const HEADERS = { 'Content-Type': 'application/gzip', 'Cache-Control': 'no-cache', ETag: '"x"' };

it.each([1, 64 * 1024, 64 * 1024 + 1, 1_000_000])('sends %d bytes with their length', async (length) => {
  const body = new Uint8Array(length).map((_, n) => n % 251);
  const app = new Hono().get('/', (c) => sendCacheable(c, body, HEADERS));
  const response = await app.request('/');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(body);
  if (length > 64 * 1024) expect(response.headers.get('content-length')).toBe(String(length));
});

it('makes no copy of a large body', async () => {
  const body = new Uint8Array(1_000_000);
  const app = new Hono().get('/', (c) => sendCacheable(c, body, HEADERS));
  for await (const piece of (await app.request('/')).body ?? []) expect(piece.buffer).toBe(body.buffer);
});
