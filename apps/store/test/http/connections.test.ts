import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { watchConnections } from '../../src/http/connections.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

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
