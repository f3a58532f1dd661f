import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { fieldOf } from '../../src/http/field-of.ts';

const NAMES = ['if-none-match', 'accept-encoding', 'range', 'x-forwarded-for', 'x-other', 'x-none'];

it('gives each field as Node does, also one that was sent twice, empty or in other letters', async () => {
  const server = createServer((request, response) => {
    const own = NAMES.map((name) => fieldOf(request, name) ?? null);
    response.end(JSON.stringify([own, NAMES.map((name) => request.headers[name] ?? null)]));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const fields = [
    'IF-NONE-MATCH: "a"',
    'if-none-match:  "b" ',
    'Accept-Encoding: br',
    'Range: bytes=0-1',
    'Range: bytes=2-3',
    'X-Forwarded-For:',
    'X-Other: 1',
    'x-otheR: 2',
  ];
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${fields.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  const answer = (await text(socket)).split('\r\n\r\n')[1] ?? '';
  const [own, nodes] = JSON.parse(answer.slice(answer.indexOf('['), answer.lastIndexOf(']') + 1));
  expect(own).toEqual(nodes);
  expect(own).toEqual(['"a", "b"', 'br', 'bytes=0-1, bytes=2-3', '', '1, 2', null]);
});
