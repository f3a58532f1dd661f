import { expect, it, vi } from 'vitest';
import { watchStreams, withoutStandaloneStream } from '../../../src/calls/lenient/watch-streams.ts';

const URL_OF = 'https://mcp.example.com/mcp';
const NEW = { method: 'GET' };
const RESUMED = { method: 'GET', headers: { 'last-event-id': '1' } };

const stream = () =>
  new Response(': hi\n\n', { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

/** A server whose clock stands still but for what is slept. */
function watched(answer: () => Response = stream) {
  let time = 0;
  const slept: number[] = [];
  const lost = vi.fn();
  const asked = vi.fn(async () => answer());
  const sleep = async (ms: number) => {
    slept.push(ms);
    time += ms;
  };
  const fetch = watchStreams(asked, { now: () => time, sleep }, lost);
  const pass = (ms: number) => {
    time += ms;
  };
  return { fetch, asked, slept, lost, pass };
}

it.each<[string, () => Response]>([
  ['a page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
  ['JSON', () => Response.json({})],
  ['nothing', () => new Response(null, { status: 204 })],
])('a server that answers with %s has no stream', async (_what, answer) => {
  const { fetch, lost } = watched(answer);
  expect((await fetch(URL_OF, NEW)).status).toBe(405);
  expect((await fetch(URL_OF, RESUMED)).status).not.toBe(405);
  expect(lost).not.toHaveBeenCalled();
});

it('a server whose streams end at once is asked for three', async () => {
  const { fetch, asked, pass } = watched();
  const statuses = async (count: number) => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) all.push((await fetch(URL_OF, NEW)).status);
    return all;
  };
  expect(await statuses(5)).toEqual([200, 200, 200, 405, 405]);
  expect(asked).toHaveBeenCalledTimes(3);
  pass(10_000);
  expect(await statuses(1)).toEqual([200]);
});

it('streams that last are opened again, and others are resumed, once a second after a few', async () => {
  const { fetch, asked, slept, pass } = watched();
  for (let n = 0; n < 5; n += 1) {
    expect((await fetch(URL_OF, NEW)).status).toBe(200);
    pass(10_000);
  }
  expect(slept).toEqual([]);
  for (let n = 0; n < 8; n += 1) await fetch(URL_OF, RESUMED);
  expect(slept).toEqual([1_000, 1_000, 1_000]);
  expect(asked).toHaveBeenCalledTimes(13);
});

it('a request of another kind is not limited', async () => {
  const { fetch, slept } = watched(() => Response.json({}));
  for (let n = 0; n < 20; n += 1) expect((await fetch(URL_OF, { method: 'POST' })).status).toBe(200);
  expect(slept).toEqual([]);
});

it('without standalone streams, others are resumed', async () => {
  const fetch = withoutStandaloneStream(async () => stream());
  const statuses = [NEW, RESUMED, { method: 'POST' }, undefined].map(
    async (init) => (await fetch(URL_OF, init)).status,
  );
  expect(await Promise.all(statuses)).toEqual([405, 200, 200, 200]);
});

it('a stream that is refused keeps its status', async () => {
  const { fetch } = watched(() => new Response('busy', { status: 500 }));
  expect((await fetch(URL_OF, NEW)).status).toBe(500);
});

it.each([
  [404, true],
  [405, true],
  [400, false],
  [500, false],
])('a server that answers a resumption with %i is gone: %s', async (status, isGone) => {
  const { fetch, lost } = watched(() => new Response(null, { status }));
  await fetch(URL_OF, RESUMED);
  expect(lost).toHaveBeenCalledTimes(isGone ? 1 : 0);
});

it('a server is gone, once, when two streams in a row cannot be opened, unless the client ends them', async () => {
  let isDown = true;
  const down = () => {
    if (isDown) throw new TypeError('fetch failed');
    return stream();
  };
  const { fetch, lost } = watched(down);
  const failing = (init: RequestInit) => expect(fetch(URL_OF, init)).rejects.toThrow('fetch failed');
  await failing(NEW);
  isDown = false;
  await fetch(URL_OF, NEW);
  isDown = true;
  await failing(NEW);
  expect(lost).not.toHaveBeenCalled();
  await failing(RESUMED);
  await failing(RESUMED);
  expect(lost).toHaveBeenCalledTimes(1);
  const ended = watched(down);
  for (let n = 0; n < 2; n += 1)
    await expect(ended.fetch(URL_OF, { ...RESUMED, signal: AbortSignal.abort() })).rejects.toThrow();
  expect(ended.lost).not.toHaveBeenCalled();
});
