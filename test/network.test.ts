import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as connectTo } from 'node:net';
import type { Network } from '@svc/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { browse } from '../packages/runtime/test/support/browser.ts';
import { openClient } from '../packages/runtime/test/support/runtime-world.ts';
import { APP } from '../packages/runtime/test/support/signing-store.ts';
import { HOSTS, openInternet } from './support/app-at-names.ts';

const CREDENTIALS = 'ada:pass%20word';

/** A proxy that asks for a password. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, socket) => {
    const sent = request.headers['proxy-authorization']?.replace('Basic ', '') ?? '';
    if (Buffer.from(sent, 'base64').toString() !== decodeURIComponent(CREDENTIALS))
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    asked.push(request.url ?? '');
    const onward = connectTo(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [onward, socket]) one.on('error', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Installs the app, signs in and calls, in a network in which no name can be resolved. */
async function useApp({ site, mcp, outside }: Awaited<ReturnType<typeof openInternet>>, network: Network) {
  const looked: string[] = [];
  const lookUp = async (host: string) => {
    looked.push(host);
    throw new Error('There is no name server.');
  };
  const { runtime, cards, events } = await openClient({
    store: 'https://store.example.com',
    network,
    connecting: { lookUp, ...(site.connecting.ca !== undefined && { ca: site.connecting.ca }) },
    openBrowser: async (url) => void (await (await browse(url, outside)).body?.cancel()),
  });
  const sheet = await runtime.installer.prepareInstall(APP);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  const where = { project: 'p', chat: 'c' };
  const { parts } = await runtime.call(APP, { tool: 'add_note', arguments: {}, ...where });
  expect(parts).toEqual([{ type: 'text', text: 'Added.' }]);
  expect(cards.map(({ kind }) => kind)).toEqual(['connect']);
  expect(mcp.headersOf('tools/call')[0]?.authorization).toMatch(/^Bearer /);
  expect(looked).toEqual([]);
  return { runtime, said: JSON.stringify([cards, events]) };
}

it('a proxy carries the requests to the store, to the sign-in and to the servers of apps, and nothing else is connected to', async () => {
  const world = await openInternet();
  const { asked, host } = await startProxy(world.site.port);
  const { said } = await useApp(world, { proxy: `http://${CREDENTIALS}@${host}` });
  expect(new Set(asked)).toEqual(new Set(HOSTS.map((name) => `${name}:443`)));
  expect(said).not.toContain('pass');
});

it('a fetch of the client sends all of them', async () => {
  const world = await openInternet();
  const hosts = new Set<string>();
  const own: typeof fetch = (url, init) => {
    hosts.add(new URL(String(url)).hostname);
    return world.outside(url, init);
  };
  await useApp(world, { fetch: own });
  expect(hosts).toEqual(new Set(HOSTS));
});

it('a proxy that refuses says so, without its address', async () => {
  const world = await openInternet();
  const { asked, host } = await startProxy(world.site.port);
  const refused = await useApp(world, { proxy: `http://ada:wrong@${host}` }).catch((error: Error) => error);
  expect(refused).toMatchObject({ code: 'store-unreachable' });
  expect(String(refused)).not.toMatch(/ada|wrong|127\.0/);
  expect(asked).toEqual([]);
});
