import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, watchConnections } from '../../src/composition/serve.ts';
import { listening } from '../support/listening-store.ts';
import { openTestStore } from '../support/test-store.ts';

describe('a server on a real socket', () => {
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

it('endAfterAnswers lets all requests of a connection finish, and closes it after the last', async () => {
  const { asked, connections, client } = await watched();
  const { ended } = await client(GET.repeat(2));
  await expect.poll(() => asked.length).toBe(2);
  connections.endAfterAnswers();
  connections.endIdle();
  asked[0]?.end('first, ');
  asked[1]?.end('last');
  expect(await ended).toMatch(/keep-alive\r\n[\s\S]*first, [\s\S]*connection: close\r\n[\s\S]*last/i);
});
