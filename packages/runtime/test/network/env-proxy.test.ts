import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP } from '@svc/testkit';
import { certificateFor } from '@svc/testkit/certificate';
import { startHttps } from '@svc/testkit/https-server';
import { expect, it, onTestFinished } from 'vitest';
import { proxiesOf } from '../../src/network/env-proxy.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A server that records the requests that it gets, as a server or as a proxy. */
async function serve() {
  const seen: string[] = [];
  const note = ({ method, url }: IncomingMessage) => void seen.push(`${method} ${url}`);
  const server = createServer((request, response) => {
    note(request);
    response.end('{}');
  });
  server.on('connect', (request, socket) => {
    note(request);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Requests URLs in a process of its own: a proxy is for a whole process. @returns what it writes on standard error */
async function requesting(env: Record<string, string>, urls: readonly string[]): Promise<string> {
  const module = (name: string) => JSON.stringify(new URL(`../../src/${name}`, import.meta.url).href);
  const script = `
    import { enableNetwork } from ${module('network/env-proxy.ts')};
    import { storeFetch } from ${module('store/store-fetch.ts')};
    import { createGuardedFetch } from ${module('network/guarded-fetch.ts')};
    import { defaultSystem as system } from ${module('platform/default-system.ts')};
    await enableNetwork(process.env);
    const guarded = createGuardedFetch({ system, allowed: ['app.invalid'] });
    for (const url of process.argv.slice(1))
      for (const one of url.includes('app.invalid') ? [guarded] : [fetch, storeFetch]) await one(url).then((response) => response.body?.cancel()).catch(() => {});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...urls], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return text(child.stderr);
}

it(
  'sends requests to stores through the proxy, and those to this machine, to NO_PROXY and to apps directly',
  DEEP,
  async () => {
    const [proxy, store] = [await serve(), await serve()];
    const NO_PROXY = 'intern.invalid 192.0.2.0/24,x/8,10.0.0.0/33, 2001:db8::/32';
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY };
    const urls = [
      'https://store.invalid/a',
      'http://store.invalid/b',
      'https://apps.intern.invalid/c',
      'https://app.invalid/d',
      'https://192.0.2.7/f',
      'https://[2001:db8::1]/f',
      `${store.url}/e`,
    ];
    expect(await requesting(env, urls)).toBe('');
    const tunnels = ['CONNECT store.invalid:443', 'CONNECT store.invalid:443'];
    expect(proxy.seen).toEqual([...tunnels, ...proxy.seen.slice(2)]);
    expect(proxy.seen.slice(2).join()).toMatch(
      /^(?:GET http:\/\/store\.invalid\/b|CONNECT store\.invalid:80),?.*store\.invalid/,
    );
    expect(proxy.seen.join()).not.toMatch(/intern|app\.invalid|127\.0\.0\.1/);
    expect(store.seen).toEqual(['GET /e', 'GET /e']);
  },
);

it(
  'trusts the certificate authorities of SVC_CA_FILE, and ends before a request where the file has none',
  DEEP,
  async () => {
    const seen: string[] = [];
    const server = await startHttps('localhost', ({ url }, response) => {
      seen.push(String(url));
      response.end('{}');
    });
    const [good, bad] = [join(await tempFolder(), 'ca.pem'), join(await tempFolder(), 'key.pem')];
    // Others may stand before it, and texts between them.
    await writeFile(good, `${certificateFor('other.test').cert}\n# Example\n${server.ca}`);
    await writeFile(bad, certificateFor('localhost').key);
    const url = `https://localhost:${server.port}/a`;
    expect(await requesting({}, [url])).toBe('');
    expect(seen).toEqual([]);
    expect(await requesting({ SVC_CA_FILE: good }, [url])).toBe('');
    expect(seen).toEqual(['/a', '/a']);
    expect(await requesting({ SVC_CA_FILE: bad }, [url])).toContain(
      `SVC_CA_FILE is ${bad}, which has no certificate as PEM`,
    );
    expect(seen).toHaveLength(2);
  },
);

it('reads the variables as curl does, and refuses what is no HTTP proxy without its password', () => {
  expect(proxiesOf({})).toBeNull();
  expect(proxiesOf({ NO_PROXY: 'a' })).toBeNull();
  expect(proxiesOf({ https_proxy: 'proxy:3128', HTTPS_PROXY: 'http://other', no_proxy: 'a,.b' })).toEqual({
    http: '',
    https: 'http://proxy:3128',
    direct: 'a,.b,localhost,127.0.0.1,::1',
  });
  expect(proxiesOf({ ALL_PROXY: 'http://all', https_proxy: 'http://own' })).toMatchObject({
    http: 'http://all',
    https: 'http://own',
  });
  expect(proxiesOf({ all_proxy: 'socks5://proxy:1080' })).toBeNull();
  for (const value of ['socks5://u:s3cret@proxy:1080', 'http://'])
    expect(() => proxiesOf({ HTTP_PROXY: value })).toThrow(
      /^HTTP_PROXY must be the URL of an HTTP proxy, such as http:\/\/proxy\.example:3128\.$/,
    );
});
