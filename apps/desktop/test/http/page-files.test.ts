import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../src/http/exchange.ts';
import { pageFiles } from '../../src/http/page-files.ts';

const SCRIPT = 'const one = 1;\n'.repeat(100);

/** Asks for a file of a page, and returns its headers and bytes. */
async function opened(path: string, accepted?: string, method = 'GET') {
  const folder = await mkdtemp(join(tmpdir(), 'svc-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets/index.js'), SCRIPT);
  await writeFile(join(folder, 'icon.png'), Buffer.from([137, 80, 78, 71]));
  const page = await pageFiles(folder, { store: 'https://store.test', panels: 'http://panels.test' });
  const said: { headers: Record<string, unknown>; body: Uint8Array | undefined } = {
    headers: {},
    body: undefined,
  };
  const response = {
    writeHead: (_status: number, headers: Record<string, unknown>) => {
      said.headers = headers;
      return { end: (body?: Uint8Array) => (said.body = body) };
    },
  };
  const request = { method, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } };
  await page({ path, request, response } as unknown as Exchange);
  return said;
}

it('sends scripts compressed to clients that take gzip, and says how long they are', async () => {
  const { headers, body = new Uint8Array() } = await opened('/assets/index.js', 'gzip, deflate, br');
  expect(headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
  expect(headers['Content-Length']).toBe(body.length);
  expect(body.length).toBeLessThan(SCRIPT.length / 3);
  expect(gunzipSync(body).toString()).toBe(SCRIPT);
  expect((await opened('/assets/index.js', 'gzip', 'HEAD')).body).toBeUndefined();
});

it.each([undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.0, br'])(
  'sends them as they are to those that accept %s',
  async (accepted) => {
    const { headers, body } = await opened('/assets/index.js', accepted);
    expect(headers).not.toHaveProperty('Content-Encoding');
    expect(Buffer.from(body ?? []).toString()).toBe(SCRIPT);
  },
);

it('sends pictures as they are', async () => {
  const { headers } = await opened('/icon.png', 'gzip');
  expect(headers).not.toHaveProperty('Content-Encoding');
  expect(headers).not.toHaveProperty('Vary');
});
