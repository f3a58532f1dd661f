import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@svc/contracts';
import { DEEP, sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen, stop, watchConnections } from '../../src/composition/serve.ts';
import type { UploadBounds } from '../../src/core/publishing/bounds.ts';
import { portOf, start } from '../support/program.ts';
import { ADMIN_TOKEN, openTestStore } from '../support/test-store.ts';

async function listening(uploadBounds: Partial<UploadBounds> = {}) {
  const store = await openTestStore({ uploadBounds });
  const token = await store.publisherToken();
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  return { store, token, port: server.port };
}

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

  const raw = (port: number, text: string) =>
    new Promise<{ status: number; body: Record<string, unknown>; head: string }>((resolve, reject) => {
      let said = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.setEncoding('utf8').on('data', (part) => {
        said += part;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        const [head = '', body = ''] = said.split('\r\n\r\n');
        resolve({ status: Number(head.split(' ')[1]), body: JSON.parse(body), head });
      });
    });
  const get = (path: string, headers = '') =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;

  it.each([
    ['a path of 20,000 characters', get(`/api/apps/${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
    [
      'a header of 20,000 characters',
      get('/api/apps/catalog', `x: ${'a'.repeat(20_000)}\r\n`),
      431,
      'headers_too_large',
    ],
    ['a path of 10,000 characters', get(`/api/apps/${'a'.repeat(10_000)}`), 404, 'not_found'],
    ['a request that is not HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    [
      'two content lengths',
      'POST /api/apps/publish HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
      'invalid_request',
    ],
  ])('answers %s with the error envelope', async (_, text, status, code) => {
    const { port } = await listening();
    const answer = await raw(port, text);
    expect(answer).toMatchObject({
      status,
      body: { code, message: expect.any(String), requestId: expect.any(String) },
    });
    expect(answer.head.toLowerCase()).toContain('content-type: application/json');
    expect(answer.head).not.toContain('a'.repeat(20));
  });

  it('refuses two Host header fields, whatever comes after on the connection', async () => {
    const { port } = await listening();
    const hosts = 'Host: localhost\r\nHOST: evil.example\r\n';
    for (const path of ['/', '/api/apps', '/readyz']) {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (text) => {
        answer += text;
      });
      socket.write(`GET ${path} HTTP/1.1\r\n${hosts}\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await once(socket, 'close');
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"invalid_request"');
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
  });

  it('tells browsers to use https alone, in every response of a store at https', async () => {
    const store = await openTestStore({ environment: { SVC_BASE_URL: 'https://apps.example.com' } });
    const server = await listen(store, 0, '127.0.0.1');
    onTestFinished(() => server.close());
    // A page, the same from memory, one that is missing, an error of the API, a redirect.
    for (const path of ['/', '/', '/nowhere', '/api/nowhere', '/account', '/readyz']) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: 'manual' });
      expect([path, answer.headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
    }
    const local = await openTestStore({ environment: { SVC_BASE_URL: 'http://localhost:8787' } });
    const plain = await listen(local, 0, '127.0.0.1');
    onTestFinished(() => plain.close());
    const answer = await fetch(`http://127.0.0.1:${plain.port}/`);
    expect(answer.headers.get('strict-transport-security')).toBeNull();
  });

  it('finishes a request in progress when it is closed', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const server = await listen(store, 0, '127.0.0.1');
    const bytes = sampleBundle();
    let finish = () => {};
    const answer = new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/zip', authorization: `Bearer ${token}` };
      const options = {
        port: server.port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/apps/publish',
        headers,
      };
      const outgoing = request(options, (response) => resolve(response.resume().statusCode));
      outgoing.on('error', reject);
      outgoing.write(bytes.subarray(0, 100));
      finish = () => void outgoing.end(bytes.subarray(100));
    });
    await expect.poll(() => store.filesUnder('incoming')).toHaveLength(1);
    const closed = server.close();
    finish();
    expect(await answer).toBe(201);
    await closed;
  });
});

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

describe('requests that are sent without waiting for responses', () => {
  async function serving(fetch: (request: Request) => Promise<Response>) {
    const server = await listen(
      { app: { fetch }, answerFromMemory: () => false, isHttps: false },
      0,
      '127.0.0.1',
    );
    onTestFinished(() => server.close());
    const client = async (text: string) => {
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    };
    return client;
  }

  it('are answered one after the other', async () => {
    let [open, most] = [0, 0];
    const client = await serving(async ({ url }) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
      return new Response(`<${new URL(url).pathname}>`);
    });
    const paths = Array.from({ length: 30 }, (_, n) => `/${n}`);
    const lines = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n`);
    const socket = await client(`${lines.join('\r\n')}connection: close\r\n\r\n`);
    expect([...(await readAll(socket)).matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
    expect(most).toBe(1);
  });

  it('wait while the client reads no response', async () => {
    let begun = 0;
    const client = await serving(async ({ url }) => {
      begun += 1;
      return new Response(url.endsWith('/small') ? 'small' : new Uint8Array(8 * 1024 * 1024));
    });
    const socket = await client(GET.repeat(30));
    socket.pause();
    await expect.poll(() => begun).toBe(1);
    const other = await client(
      GET.replace('/', '/small').replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'),
    );
    expect(await readAll(other)).toContain('small');
    expect(begun).toBe(2);
  });
});

/** A server whose responses the test sends. */
async function watched() {
  const asked: ServerResponse[] = [];
  const server = createServer((_request, response) => void asked.push(response));
  const connections = watchConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const client = async (text = '') => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(text);
    return { socket, ended: readAll(socket) };
  };
  return { asked, server, connections, client };
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  return text;
}

it('endIdle closes connections without a complete request', async () => {
  const { connections, server, client } = await watched();
  const [silent, partial] = [await client(), await client('GET / HTTP/1.1\r\nhost:')];
  await expect.poll(() => new Promise((got) => server.getConnections((_, n) => got(n)))).toBe(2);
  connections.endIdle();
  expect([await silent.ended, await partial.ended]).toEqual(['', '']);
});

it('endAfterAnswers lets a request finish with connection: close, and then closes the connection', async () => {
  const { asked, connections, client } = await watched();
  const { ended } = await client(GET);
  await expect.poll(() => asked.length).toBe(1);
  connections.endAfterAnswers();
  connections.endIdle();
  asked[0]?.end('done');
  expect(await ended).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*done/i);
});

it('endAfterAnswers closes a connection whose response had already begun with keep-alive', async () => {
  const { asked, connections, client } = await watched();
  const { ended } = await client(GET);
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.write('begun, ');
  connections.endAfterAnswers();
  connections.endIdle();
  asked[0]?.end('done');
  expect(await ended).toMatch(/connection: keep-alive\r\n[\s\S]*begun, [\s\S]*done/i);
});

it('endAfterAnswers keeps an idle connection open for one last request', async () => {
  const { asked, connections, client } = await watched();
  const { socket, ended } = await client();
  connections.endAfterAnswers();
  socket.write(GET);
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.end('done');
  expect(await ended).toMatch(/connection: close\r\n[\s\S]*done/i);
});

type Answer = { status: number | undefined; connection: string | undefined };

/** A running store with a token of a developer. */
async function running() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = start({ PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN });
  const port = await portOf(store);
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const admin = (path: string, json: unknown) =>
    ask(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
  await admin('/api/admin/publishers', { slug: 'example', name: 'Example' });
  const made = await admin('/api/admin/tokens', { publisher: 'example' });
  const { token } = (await made.json()) as { token: string };

  /** Begins an upload and sends a part of it, and the rest when the test calls `finish`. */
  async function slowUpload() {
    const bytes = sampleBundle();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const headers = { 'content-type': 'application/zip', authorization: `Bearer ${token}` };
    const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/api/apps/publish', headers };
    const outgoing = request(options);
    const answer = new Promise<Answer>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        resolve({ status: response.statusCode, connection: response.headers.connection });
        response.resume();
      });
    });
    answer.catch(() => {});
    outgoing.write(bytes.subarray(0, 100));
    await expect.poll(() => readdir(join(folder, 'incoming'))).toHaveLength(1);
    /** Sends endless invalid data, fast enough not to be aborted. */
    const dripOn = () => {
      const drip = setInterval(() => outgoing.write(Buffer.alloc(32 * 1024)), 250);
      outgoing.once('close', () => clearInterval(drip));
    };
    return { answer, dripOn, finish: () => void outgoing.end(bytes.subarray(100)) };
  }
  return { ...store, port, ask, slowUpload };
}

const refused = { cause: { code: 'ECONNREFUSED' } };

describe('a store that stops', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes an upload in progress at %s, and accepts no connections',
    DEEP,
    async (signal) => {
      const store = await running();
      const upload = await store.slowUpload();
      // Browsers open connections in advance, without a request.
      const silent = connect(store.port, '127.0.0.1');
      const ended = new Promise((done) => silent.once('close', done));
      await new Promise((done) => silent.once('connect', done));
      store.child.kill(signal);
      await ended;
      await expect(store.ask('/healthz')).rejects.toMatchObject(refused);
      expect(store.child.exitCode).toBeNull();
      upload.finish();
      expect(await upload.answer).toEqual({ status: 201, connection: 'close' });
      expect(await store.exit).toBe(0);
    },
  );

  it('is not ready at once, and serves requests until a load balancer has had time to react', async () => {
    const store = await running();
    const upload = await store.slowUpload();
    expect((await store.ask('/readyz')).status).toBe(200);
    store.child.kill('SIGTERM');
    await expect.poll(async () => (await store.ask('/readyz')).status).toBe(503);
    const page = await store.ask('/api/apps/catalog');
    expect([page.status, page.headers.get('connection')]).toEqual([200, 'close']);
    await expect
      .poll(() =>
        store.ask('/healthz').then(
          () => 'served',
          (error) => error.cause.code,
        ),
      )
      .toBe('ECONNREFUSED');
    upload.finish();
    expect((await upload.answer).status).toBe(201);
    expect(await store.exit).toBe(0);
  });

  it('treats three signals at once as one Ctrl-C, and a later signal as a second one', DEEP, async () => {
    const store = await running();
    const upload = await store.slowUpload();
    for (let i = 0; i < 3; i += 1) store.child.kill('SIGINT');
    await sleep(1_000);
    expect(store.child.exitCode).toBeNull();
    store.child.kill('SIGINT');
    expect(await store.exit).toBe(1);
    await expect(upload.answer).rejects.toThrow();
  });

  it('exits with 1 when a client does not finish in time', { ...DEEP, timeout: 60_000 }, async () => {
    const store = await running();
    (await store.slowUpload()).dripOn();
    const asked = performance.now();
    store.child.kill('SIGTERM');
    expect(await store.exit).toBe(1);
    expect(performance.now() - asked).toBeGreaterThan(29_000);
    expect(store.output.out).toContain('they took too long');
  });

  it('closes the server, the store and the inspector in this order', async () => {
    const steps: string[] = [];
    const step = (name: string) => async () => void steps.push(name);
    await stop({
      server: { endConnections: () => void steps.push('end connections'), close: step('close server') },
      store: {
        readiness: { end: () => steps.push('not ready') > 1 },
        close: step('close store'),
      },
      inspector: { close: step('close inspector') },
    });
    expect(steps).toEqual(['not ready', 'end connections', 'close server', 'close store', 'close inspector']);
  });
});
