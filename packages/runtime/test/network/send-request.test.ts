import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { serveHere } from '@svc/testkit/http-server';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Outgoing, sendRequest } from '../../src/network/send-request.ts';

function sender(url: string, maxBytes = 100_000_000) {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  return (given: Partial<Outgoing> = {}, signal = new AbortController().signal) =>
    sendRequest(
      agent,
      { url: new URL(url), method: 'GET', headers: new Headers(), body: null, ...given },
      { signal, maxBytes },
    );
}

const serving = async (listener: RequestListener) => sender(await serveHere(() => listener));

/** A server that answers every request with the same bytes, which an HTTP library would not write. */
async function saying(bytes: Buffer) {
  const server = createServer((socket) => socket.on('error', () => undefined).end(bytes));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return sender(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
}

describe('a request that is sent', () => {
  it('has a default User-Agent and Accept header, unless the caller sets them', async () => {
    const send = await serving(({ headers }, response) =>
      response.end(JSON.stringify([headers['user-agent'], headers.accept])),
    );
    expect(await (await send()).json()).toEqual(['svc', '*/*']);
    const headers = new Headers({ 'User-Agent': 'mine', Accept: 'text/html' });
    expect(await (await send({ headers })).json()).toEqual(['mine', 'text/html']);
  });

  it('returns all headers of the same name', async () => {
    const send = await serving((_request, response) =>
      response.setHeader('www-authenticate', ['Basic', 'Bearer realm="a"']).end(),
    );
    expect((await send()).headers.get('www-authenticate')).toBe('Basic, Bearer realm="a"');
  });

  it.each([204, 304])('has no body after %d', async (status) => {
    const send = await serving((_request, response) => response.writeHead(status).end());
    const response = await send();
    expect([response.status, response.body]).toEqual([status, null]);
  });

  it('reads little more of a body than its reader, and closes the connection when it is cancelled', async () => {
    let written = 0;
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const send = await serving((_request, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
      };
      response.on('drain', more).on('close', resolve);
      more();
    });
    const reader = (await send()).body?.getReader();
    await reader?.read();
    await new Promise((done) => setTimeout(done, 200));
    expect(written).toBeLessThan(16 * 1024 * 1024);
    await reader?.cancel();
    await gone;
  });

  it('ignores data that arrives after its body was cancelled', async () => {
    const send = await serving((_request, response) => {
      for (let piece = 0; piece < 20; piece += 1) response.write(Buffer.alloc(64 * 1024));
      response.end();
    });
    const faults: unknown[] = [];
    const record = (fault: unknown) => void faults.push(fault);
    const kinds = ['uncaughtExceptionMonitor', 'unhandledRejection'];
    for (const kind of kinds) process.on(kind, record);
    onTestFinished(() => {
      for (const kind of kinds) process.off(kind, record);
    });
    for (let times = 0; times < 20; times += 1) {
      const reader = (await send()).body?.getReader();
      const first = reader?.read();
      await reader?.cancel();
      await first;
      expect(await reader?.read()).toEqual({ done: true, value: undefined });
    }
    expect(faults).toEqual([]);
  });

  it('returns the whole body to a reader that is slower than the network, and to one that is faster', async () => {
    const whole = Buffer.alloc(8 * 1024 * 1024, 'abcdefg');
    const send = await serving(async (_request, response) => {
      for (let at = 0; at < whole.length; at += 1_000_003) {
        response.write(whole.subarray(at, at + 1_000_003));
        await new Promise((done) => setImmediate(done));
      }
      response.end();
    });
    for (const slow of [true, false]) {
      const pieces: Uint8Array[] = [];
      for await (const piece of (await send()).body ?? []) {
        pieces.push(piece);
        if (slow) await new Promise((done) => setTimeout(done, 1));
      }
      expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    }
  });

  it('is aborted by its signal, while it waits and while its body is read', async () => {
    const send = await serving(() => undefined);
    const waiting = new AbortController();
    const asked = send({}, waiting.signal);
    waiting.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    const reading = new AbortController();
    const base = new URL(await serveHere(() => (_request, response) => void response.write('x')));
    const response = await send({ url: base }, reading.signal);
    const told = response.text();
    reading.abort(new Error('enough'));
    await expect(told).rejects.toThrow('enough');
  });

  it('is aborted before its connection is open', async () => {
    const agent = new Agent({ connect: () => undefined });
    onTestFinished(() => agent.destroy());
    const waiting = new AbortController();
    const request = { url: new URL('http://a.test/'), method: 'GET', headers: new Headers(), body: null };
    const asked = sendRequest(agent, request, { signal: waiting.signal, maxBytes: 1 });
    waiting.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(sendRequest(agent, request, { signal: waiting.signal, maxBytes: 1 })).rejects.toThrow(
      'enough',
    );
  });

  it('is answered by the response after informational ones', async () => {
    const send = await saying(
      Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'),
    );
    const response = await send();
    expect([response.status, await response.text()]).toEqual([200, 'hello']);
  });

  it.each([
    ['gzip', gzipSync('hello'), 'hello'],
    ['deflate', deflateSync('hello'), 'hello'],
    ['br', brotliCompressSync('hello'), 'hello'],
    ['gzip, BR', brotliCompressSync(gzipSync('hello')), 'hello'],
    ['rot13', Buffer.from('uryyb'), 'uryyb'],
    ['gzip, rot13', Buffer.from('uryyb'), 'uryyb'],
  ])('is decompressed from %s, or not changed if the encoding is unknown', async (coding, packed, text) => {
    const send = await serving((_request, response) =>
      response.setHeader('content-encoding', coding).end(packed),
    );
    expect(await (await send()).text()).toBe(text);
  });

  it('fails when its body exceeds maxBytes, compressed or not', async () => {
    for (const coding of ['gzip', 'identity']) {
      const bytes = coding === 'gzip' ? gzipSync(Buffer.alloc(1_000_000)) : Buffer.alloc(1_000_000);
      const url = await serveHere(
        () => (_request, response) => void response.setHeader('content-encoding', coding).end(bytes),
      );
      const response = await sender(url, 1_000)();
      await expect(response.text()).rejects.toThrow('more than 1000 bytes');
    }
  });

  it.each(['identity', 'gzip'])('fails when its body is incomplete: %s', async (coding) => {
    const packed = gzipSync(Buffer.alloc(100_000, 'abcdefg'));
    const send = await serving((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': coding, 'Content-Length': packed.length });
      response.write(packed.subarray(0, packed.length - 20), () => response.destroy());
    });
    const response = await send();
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('fails when its compressed body is damaged', async () => {
    const send = await serving((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end('no gzip'),
    );
    await expect(send().then((response) => response.text())).rejects.toThrow();
  });

  it.each([
    ['an invalid status', Buffer.from('HTTP/1.1 999 Done\r\ncontent-length: 0\r\n\r\n')],
    ['a response that is not HTTP', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n')],
    ['two lengths', Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab')],
  ])('fails on %s', async (_what, bytes) => {
    const send = await saying(bytes);
    await expect(send().then((response) => response.text())).rejects.toThrow();
  });
});
