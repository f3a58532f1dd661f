import { once } from 'node:events';
import { connect } from 'node:net';
import { attack } from '@svc/testkit/hostile-requests';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listenForPanels, type PanelListener } from '../../src/parts.ts';
import { hasIpv6, holdPort } from '../support/port-holder.ts';

let listener: PanelListener;
let port = '';
const served: string[] = [];

/** Sends bytes as they are, and reads the whole answer. */
async function send(head: string, at = Number(port), host = '127.0.0.1'): Promise<string> {
  const socket = connect(at, host);
  socket.end(`${head}\r\nConnection: close\r\n\r\n`);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  await once(socket, 'close');
  return text;
}

describe('the listener of panels', () => {
  beforeAll(async () => {
    listener = await listenForPanels(
      (request) => {
        served.push(request.url);
        return new Response('served', { headers: { 'x-kept': 'yes' } });
      },
      () => {},
    );
    port = new URL(listener.originOf('a')).port;
  });
  afterAll(() => listener.close());

  it('passes on a request to one of its origins', async () => {
    const answer = await send(`GET /secret/ui/index.html HTTP/1.1\r\nHost: abc.localhost:${port}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('x-kept: yes');
    expect(served.at(-1)).toBe(`http://abc.localhost:${port}/secret/ui/index.html`);
    expect(await send(`HEAD / HTTP/1.1\r\nHost: abc.localhost:${port}`)).not.toContain('served');
  });

  it.each([
    ['a name that resolves to this machine', 'GET / HTTP/1.1\r\nHost: evil.test:PORT'],
    ['the IP address', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT'],
    ['localhost without a subdomain', 'GET / HTTP/1.1\r\nHost: localhost:PORT'],
    ['a name with the same beginning', 'GET / HTTP/1.1\r\nHost: abc.localhost.evil.test:PORT'],
    ['another port', 'GET / HTTP/1.1\r\nHost: abc.localhost:1'],
    ['an absolute URL as its target', 'GET http://abc.localhost:PORT/ HTTP/1.1\r\nHost: abc.localhost:PORT'],
    ['a body', 'POST / HTTP/1.1\r\nHost: abc.localhost:PORT\r\nContent-Length: 0'],
  ])('refuses %s', async (_what, head) => {
    const before = served.length;
    expect(await send(head.replaceAll('PORT', port))).toMatch(/^HTTP\/1\.1 421 /);
    expect(served).toHaveLength(before);
  });

  it('answers every complete request on a raw socket, and survives the others', async () => {
    const { hangs, statuses } = await attack({
      port: Number(port),
      targets: ['/', '/secret/ui/:file'].map((path) => ({ method: 'GET', path, type: null })),
      count: 200,
      credentials: [`host: abc.localhost:${port}`, ''],
    });
    expect(hangs).toEqual([]);
    expect([...statuses.keys()]).toContain(421);
  });

  it('treats two slashes as a path, not as a host', async () => {
    await send(`GET //evil.test/a HTTP/1.1\r\nHost: abc.localhost:${port}`);
    expect(served.at(-1)).toBe(`http://abc.localhost:${port}//evil.test/a`);
  });
});

it('occupies its port at [::1] too, which Chromium tries first', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no IPv6');
  const own = await listenForPanels(
    () => new Response('ours'),
    () => {},
  );
  onTestFinished(() => own.close());
  const at = Number(new URL(own.originOf('a')).port);
  expect(await holdPort('::1', at)).toBe('EADDRINUSE');
  expect(await send(`GET / HTTP/1.1\r\nHost: abc.localhost:${at}`, at, '::1')).toContain('ours');
});
