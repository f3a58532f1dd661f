import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IN_TURN, inTurn } from '../../src/network/in-turn.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

/** A server, and what a client receives that sends a text at once, until the connection ends. */
async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(IN_TURN, inTurn(answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const send = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (piece) => {
      received += piece;
    });
    socket.on('error', () => undefined).write(text);
    await once(socket, 'close');
    return received;
  };
  return { server, send };
}

const end = (request: IncomingMessage, response: ServerResponse) => void response.end(`<${request.url}>`);

it('answers requests that came together in their order, each after the response before it', async () => {
  let open = 0;
  const { send } = await serving((request, response) => {
    open += 1;
    expect(open).toBe(1);
    const finish = () => {
      open -= 1;
      end(request, response);
    };
    setTimeout(finish, 1);
  });
  const paths = Array.from({ length: 33 }, (_, n) => `/${n}`);
  const text = paths.map((path) => GET.replace('/', path)).join('');
  const received = await send(text.replace(/\r\n$/, 'connection: close\r\n\r\n'));
  expect([...received.matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
});

it('keeps a connection for any number of requests that wait for responses', async () => {
  const { server } = await serving(end);
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  for (let n = 0; n < 100; n++) {
    socket.write(GET);
    expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 200/);
  }
  socket.destroy();
});

it('ends a connection with more requests than may wait, and makes no objects of the rest', async () => {
  const answered = vi.fn();
  const { server, send } = await serving(answered);
  const made = new Set<IncomingMessage>();
  server.prependListener('request', (request) => made.add(request));
  // All in one piece: Node parses it to its end, also after the connection ended.
  expect(await send(GET.repeat(2_000))).toBe('');
  expect(answered).toHaveBeenCalledTimes(1);
  // The first, those that waited, and the one too many.
  expect(made.size).toBe(34);
});

it.each([
  ['a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello'],
  [
    'chunks',
    'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\na: b\r\n\r\n',
  ],
  ['an expectation', 'POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\nhello'],
  ['another expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
  ['what Node refuses', 'GET \0'],
])('goes on after a connection that ended before requests with %s', async (_, more) => {
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  process.on('uncaughtExceptionMonitor', onFault);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', onFault));
  const { send } = await serving((request, response) => {
    if (request.url === '/alive') end(request, response);
  });
  await send(GET.repeat(40) + more.repeat(20));
  const alive = GET.replace('/', '/alive').replace(/\r\n$/, 'connection: close\r\n\r\n');
  expect(await send(alive)).toContain('</alive>');
  expect(faults).toEqual([]);
});
