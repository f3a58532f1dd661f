import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { watchConnections } from '../../src/http/connections.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

/** A server whose answers the test gives, when it wants to. */
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

it('ends connections on which nothing was ever sent, or only a part of a request', async () => {
  const { connections, server, client } = await watched();
  const [silent, partial] = [await client(), await client('GET / HTTP/1.1\r\nhost:')];
  await expect.poll(() => new Promise((got) => server.getConnections((_, n) => got(n)))).toBe(2);
  connections.endIdle();
  expect([await silent.ended, await partial.ended]).toEqual(['', '']);
});

it('lets a request under way finish, tells its client, and ends the connection then', async () => {
  const { asked, connections, client } = await watched();
  const { ended } = await client(GET);
  await expect.poll(() => asked.length).toBe(1);
  connections.endAfterAnswers();
  connections.endIdle();
  asked[0]?.end('done');
  expect(await ended).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*done/i);
});

it('ends a connection whose answer had begun with the promise to keep it', async () => {
  const { asked, connections, client } = await watched();
  const { ended } = await client(GET);
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.write('begun, ');
  connections.endAfterAnswers();
  connections.endIdle();
  asked[0]?.end('done');
  expect(await ended).toMatch(/connection: keep-alive\r\n[\s\S]*begun, [\s\S]*done/i);
});

it('keeps connections while answers are only to be their last', async () => {
  const { asked, connections, client } = await watched();
  const { socket, ended } = await client();
  connections.endAfterAnswers();
  socket.write(GET);
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.end('done');
  expect(await ended).toMatch(/connection: close\r\n[\s\S]*done/i);
});
