import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { LIMITS } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listening } from '../support/listening-store.ts';

/** Sends a chunked body without a content length. */
function sendChunked(port: number, token: string | null, chunks: Iterable<Uint8Array>) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const headers = { 'content-type': 'application/zip', ...(token && { authorization: `Bearer ${token}` }) };
    const outgoing = request(
      { port, host: '127.0.0.1', method: 'POST', path: '/api/apps/publish', headers },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (text) => {
          body += text;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    outgoing.on('error', reject);
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

function* zeros(bytes: number): Iterable<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024);
  for (let left = bytes; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length));
}

/** Sends an endless body. Resolves with the response and the number of sent bytes once the connection is closed. */
function sendEndlessly(port: number, token: string | null) {
  const chunk = Buffer.alloc(64 * 1024);
  return new Promise<{ answer: string; sent: number }>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const write = () => {
      while (!socket.destroyed && socket.write(`10000\r\n${chunk.toString('latin1')}\r\n`));
    };
    socket.write('POST /api/apps/publish HTTP/1.1\r\nHost: x\r\nContent-Type: application/zip\r\n');
    if (token) socket.write(`Authorization: Bearer ${token}\r\n`);
    socket.write('Transfer-Encoding: chunked\r\n\r\n');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('drain', write).on('error', () => {});
    socket.on('close', () => resolve({ answer, sent: socket.bytesWritten }));
    write();
  });
}

describe('a server on a real socket', () => {
  it('responds to an upload without a valid token without reading the body, and closes the connection', async () => {
    const { port } = await listening();
    for (const token of [null, 'svcp_made-up']) {
      const { answer, sent } = await sendEndlessly(port, token);
      expect(answer).toContain('HTTP/1.1 401 ');
      // The capacity of the buffers of two sockets. A server that kept reading would receive hundreds of megabytes.
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    }
  });

  it('stops reading a body that is too large, responds, and closes the connection', async () => {
    const { store, token, port } = await listening();
    const { answer } = await sendEndlessly(port, token);
    expect(answer).toContain('HTTP/1.1 413 ');
    expect(await store.filesUnder('incoming')).toEqual([]);
  });

  it('aborts a slow upload with 408 upload_too_slow, and closes the connection', async () => {
    const pace = { graceMs: 10, windowMs: 50, bytesPerSecond: 1024 };
    const { store, token, port } = await listening({ pace });
    const socket = connect(port, '127.0.0.1');
    const head = `POST /api/apps/publish HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    socket.write(`${head}Content-Type: application/zip\r\nContent-Length: 1000000\r\n\r\nPK`);
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    await once(socket, 'close');
    expect(answer).toContain('HTTP/1.1 408 ');
    expect(answer).toContain('"code":"upload_too_slow"');
    expect(await store.filesUnder('incoming')).toEqual([]);
  });

  const BIG = 'a'.repeat(70_000);
  const FRAMINGS = {
    plain: [`content-length: ${BIG.length}`, BIG],
    chunked: ['transfer-encoding: chunked', `${BIG.length.toString(16)}\r\n${BIG}\r\n0\r\n\r\n`],
    'chunked and unfinished': ['transfer-encoding: chunked', `${BIG.length.toString(16)}\r\n${BIG}\r\n`],
    'shorter than it says': [`content-length: ${BIG.length + 1}`, BIG],
  };

  it.each(Object.entries(FRAMINGS))(
    'answers a body of over 64 KiB with 413, and goes on: %s',
    async (_, [framing, body]) => {
      const { port } = await listening();
      const said = await Promise.all(
        [
          ['/api/developer/device/poll', 'application/json'],
          ['/sign-in', 'application/x-www-form-urlencoded'],
        ].map(async ([path, type]) => {
          const socket = connect(port, '127.0.0.1');
          let answer = '';
          socket.setEncoding('utf8').on('data', (text) => {
            answer += text;
          });
          socket.write(
            `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${framing}\r\n\r\n${body}`,
          );
          // Idle connections end after every timer of the request.
          await once(socket, 'close');
          return answer;
        }),
      );
      for (const answer of said) expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(said[0]).toContain('"code":"body_too_large"');
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    },
  );

  it('discards a limited number of refused bodies at a time, and ends the connections of the others', async () => {
    // The clock stands still, so that after the first bodies none is discarded, and no timer ends a connection.
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.resetModules();
    const fresh = await import('../../src/composition/serve.ts');
    const app = { fetch: () => new Response('Too large.', { status: 413 }) };
    const { port, close } = await fresh.listen(
      { app, answerFromMemory: () => false, isHttps: false },
      0,
      '127.0.0.1',
    );
    let ended = 0;
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect(port, '127.0.0.1').resume();
      const onClose = () => {
        ended += 1;
      };
      socket.on('error', () => {}).on('close', onClose);
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${BIG.length}\r\n\r\n${BIG}`);
      return socket;
    });
    // Some 64 chunks are discarded at once, and 128 wait.
    while (ended < 200) await new Promise((resolve) => setImmediate(resolve));
    for (const socket of sockets) socket.destroy();
    await close();
  });

  it('accepts an upload of unknown length', async () => {
    const { token, port } = await listening();
    expect((await sendChunked(port, token, [sampleBundle()])).status).toBe(201);
  });

  it('refuses an upload of unknown length that is one byte too large, and stores nothing of it', async () => {
    const { store, token, port } = await listening();
    const answer = await sendChunked(port, token, zeros(LIMITS.bundle.bytes + 1));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'bundle_too_large' });
    expect([...(await store.filesUnder('incoming')), ...(await store.filesUnder('blobs'))]).toEqual([]);
  });

  it('reads an upload of exactly the maximum size', async () => {
    const { token, port } = await listening();
    const answer = await sendChunked(port, token, zeros(LIMITS.bundle.bytes));
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_bundle' });
  });

  it('sends 401 for a finite body without a token too', async () => {
    const { port } = await listening();
    const answer = await sendChunked(port, null, zeros(4 * 1024 * 1024));
    expect(answer.status).toBe(401);
  });

  it('stores nothing of an upload that is cut off', async () => {
    const { store, token, port } = await listening();
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `POST /api/apps/publish HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/zip\r\ncontent-length: 1000\r\n\r\nhalf`,
        );
        setTimeout(() => socket.destroy(), 100);
      });
      socket.on('close', () => resolve());
    });
    await expect.poll(() => store.filesUnder('incoming')).toEqual([]);
    expect(await store.filesUnder('blobs')).toEqual([]);
  });
});
