import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { admit, type Listening, listenAgain, listenForPages } from '../../src/http/listen.ts';
import { ask } from '../support/ask.ts';
import { tempFolder } from '../support/temp-folder.ts';

const unexpected = (error: unknown) => {
  throw error;
};

async function open(port = 0): Promise<Listening> {
  const listening = await listenForPages(port, unexpected);
  onTestFinished(() => listening.close());
  listening.serve(async ({ response }) => void response.end('here'));
  return listening;
}

it('answers requests to its origin', async () => {
  const { port, origin } = await open();
  expect(origin).toBe(`http://localhost:${port}`);
  const headers = { host: `localhost:${port}` };
  expect((await ask(port, { headers })).body.toString()).toBe('here');
});

it('refuses a request with another host name (DNS rebinding)', async () => {
  const { port } = await open();
  const answer = await ask(port, { headers: { host: `evil.example:${port}` } });
  expect(answer.status).toBe(421);
  expect(answer.body.toString()).not.toContain('here');
});

it('keeps its port after a restart, unless another program has it or the user chooses one', async () => {
  const folder = await tempFolder();
  const start = (chosen = 0) => listenAgain(folder, chosen, unexpected);
  const first = await start();
  const second = await start();
  expect(second.port).not.toBe(first.port);
  await Promise.all([first.close(), second.close()]);
  const again = await start();
  expect(again.port).toBe(second.port);
  await again.close();
  const chosen = await start(first.port);
  expect(chosen.port).toBe(first.port);
  await chosen.close();
});

it('does not open when a program uses the same port on one of the addresses', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())));
  const { port } = other.address() as { port: number };
  await expect(listenForPages(port, unexpected)).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});

it('reports an internal error to the program, but not to the client', async () => {
  const faults: unknown[] = [];
  const listening = await listenForPages(0, (error) => faults.push(error));
  onTestFinished(() => listening.close());
  const fault = new Error('a secret of ours');
  listening.serve(async () => {
    throw fault;
  });
  const answer = await ask(listening.port, {});
  expect(answer.status).toBe(500);
  expect(answer.body.toString()).not.toContain('secret');
  expect(faults).toEqual([fault]);
});

it('says that the disk is full, and reports no fault', async () => {
  const { port, serve } = await open();
  serve(() => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' })));
  const answer = await ask(port, {});
  expect([answer.status, answer.json()]).toEqual([
    422,
    { code: 'disk-unavailable', message: expect.stringContaining('is full') },
  ]);
});

it('answers a request without reading a large body, whose connection it ends', async () => {
  const { port } = await open();
  const socket = connect(port, '127.0.0.1');
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.write(`POST / HTTP/1.1\r\nhost: localhost:${port}\r\ntransfer-encoding: chunked\r\n\r\n`);
  socket.on('drain', write).on('error', () => {});
  const closed = new Promise((resolve) => socket.resume().on('close', resolve));
  write();
  await closed;
  // The capacity of the buffers of two sockets.
  expect(socket.bytesWritten).toBeLessThan(32 * 1024 * 1024);
});

type Headers = Record<string, string>;

const asked = (headers: Headers, method = 'POST', remoteAddress = '127.0.0.1') => ({
  headers: { host: 'localhost:4000', ...headers },
  method,
  socket: { remoteAddress },
});

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('admit', () => {
  it.each<[string, Headers, string?]>([
    ['a program', {}],
    ['our page', { origin: 'http://localhost:4000', 'sec-fetch-site': 'same-origin' }],
    ['our page by its IPv4 address', { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4000' }],
    ['our page by its IPv6 address', { host: '[::1]:4000', origin: 'http://[::1]:4000' }],
    ['a typed address', { 'sec-fetch-site': 'none', ...NAVIGATION }, 'GET'],
    ['a link on a page elsewhere', { 'sec-fetch-site': 'cross-site', ...NAVIGATION }, 'GET'],
  ])('admits %s', (_, headers, method) => {
    expect(() => admit(asked(headers, method), 4_000)).not.toThrow();
  });

  it.each<[string, number, Headers, string?]>([
    ['a foreign name that resolves to this machine', 421, { host: 'evil.example:4000' }],
    ['a foreign name that begins with our name', 421, { host: 'localhost.evil.example:4000' }],
    ['a subdomain of our name, as panels have', 421, { host: 'app.localhost:4000' }],
    ['our name without its port', 421, { host: 'localhost' }],
    ['our name with another port', 421, { host: 'localhost:4001' }],
    ['a foreign origin', 403, { origin: 'https://evil.example' }],
    ['another program of this machine', 403, { origin: 'http://localhost:4001' }],
    ['the origin of our page by another name', 403, { origin: 'http://127.0.0.1:4000' }],
    ['a page in a sandbox', 403, { origin: 'null' }],
    ['a form of another site', 403, { 'sec-fetch-site': 'cross-site', ...NAVIGATION }],
    ['a script of another port', 403, { 'sec-fetch-site': 'same-site' }, 'GET'],
    [
      'a picture of another site',
      403,
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      'GET',
    ],
    [
      'a frame of another site',
      403,
      { 'sec-fetch-site': 'cross-site', ...NAVIGATION, 'sec-fetch-dest': 'iframe' },
      'GET',
    ],
  ])('refuses %s', (_, status, headers, method) => {
    expect(() => admit(asked(headers, method), 4_000)).toThrow(expect.objectContaining({ status }));
  });

  it.each(['192.168.1.7', '::ffff:10.0.0.1', '2001:db8::1', ''])('refuses another machine, %s', (address) => {
    expect(() => admit(asked({}, 'GET', address), 4_000)).toThrow(expect.objectContaining({ status: 403 }));
  });
});
