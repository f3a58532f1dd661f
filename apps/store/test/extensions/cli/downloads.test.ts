import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreKey } from '@svc/contracts';
import { hasProgram, needs } from '@svc/testkit';
import { zipSync } from 'fflate';
import { expect, it, onTestFinished } from 'vitest';
import { createDownloads } from '../../../src/extensions/cli/downloads.ts';
import { BASE_URL, openTestStore } from '../../support/test-store.ts';

const NAME = 'svc-1.2.3-linux-x64';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-downloads-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An archive as `npm run build` packs it. */
const archive = (text: string): Uint8Array =>
  zipSync({
    [`${NAME}/svc`]: [Buffer.from('#!/bin/sh\n'), { os: 3, attrs: 0o100_755 * 0x1_00_00 }],
    [`${NAME}/node_modules/@svc/cli/package.json`]: Buffer.from(text),
  });

/** A folder of downloads, and the package of npm beside them. */
async function downloadsIn(files: Record<string, Uint8Array>) {
  const folder = await newFolder();
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const cliFile = join(folder, 'cli.tgz');
  await mkdir(join(folder, 'package'));
  await writeFile(join(folder, 'package/package.json'), '{\n "version": "1.2.3"\n}');
  execFileSync('tar', ['-C', folder, '-czf', cliFile, 'package/package.json']);
  return { downloadsDir: folder, cliFile };
}

/** What Python's own library finds in a zip: each name with its mode and content; it verifies each CRC. */
function readByPython(file: string): Record<string, [string, string]> {
  const program = `
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps({i.filename: [oct(i.external_attr >> 16), z.read(i).decode()] for i in z.infolist()}))`;
  return JSON.parse(execFileSync('python3', ['-c', program, file], { encoding: 'utf8' }));
}

const clock = () => new Date();
const python = needs(hasProgram('python3'), 'needs python3');

it(
  'serves a file for a system with the URL of the store added, its hash under a signature',
  python,
  async () => {
    const store = await openTestStore(await downloadsIn({ [`${NAME}.zip`]: archive('{}') }));
    const { call } = store;
    const answer = await call('GET', `/downloads/${NAME}.zip`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    const served = join(await newFolder(), 'served.zip');
    await writeFile(served, bytes);
    expect(readByPython(served)).toEqual({
      [`${NAME}/svc`]: ['0o100755', '#!/bin/sh\n'],
      [`${NAME}/node_modules/@svc/cli/package.json`]: [expect.any(String), '{}'],
      [`${NAME}/node_modules/@svc/cli/store.json`]: ['0o100644', `${JSON.stringify({ store: BASE_URL })}\n`],
    });
    const sums = Buffer.from(await (await call('GET', '/downloads/SHA256SUMS')).arrayBuffer());
    const cli = Buffer.from(await (await call('GET', '/cli.tgz')).arrayBuffer());
    const sha256 = (of: Uint8Array) => createHash('sha256').update(of).digest('hex');
    expect(sums.toString()).toBe(`${sha256(cli)}  cli.tgz\n${sha256(bytes)}  ${NAME}.zip\n`);
    const { keys } = (await (await call('GET', '/api/apps/public-keys')).json()) as { keys: StoreKey[] };
    const signature = Buffer.from(await (await call('GET', '/downloads/SHA256SUMS.sig')).arrayBuffer());
    expect(verify(null, sums, createPublicKey(keys[0]?.publicKeyPem ?? ''), signature)).toBe(true);
    const page = await (await call('GET', '/cli')).text();
    expect(page).toContain(`<a href="/downloads/${NAME}.zip">Linux (x64)</a>`);
    // Who has neither a client nor Node finds it at each app.
    await store.publish(await store.publisherToken());
    await store.decide('approve', '1.0.0');
    const app = await (await call('GET', '/apps/com.example.notes')).text();
    expect(app).toContain('<a href="/cli#download">download it for Linux</a>');
    const etag = answer.headers.get('etag') ?? '';
    const again = await call('GET', `/downloads/${NAME}.zip`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  },
);

it('has no downloads where none were built, and its page names none', async () => {
  const { call } = await openTestStore(await downloadsIn({ 'other.zip': archive('{}') }));
  for (const name of ['other.zip', 'cli.tgz', `${NAME}.zip`, '..%2Fcli.tgz'])
    expect((await call('GET', `/downloads/${name}`)).status).toBe(404);
  expect(await (await call('GET', '/cli')).text()).not.toContain('id="download"');
});

it('leaves out an archive that is cut, says so, and serves the others', async () => {
  const whole = archive('{}');
  const { downloadsDir } = await downloadsIn({
    [`${NAME}.zip`]: whole,
    'svc-1.2.3-macos-x64.zip': whole.subarray(0, -30),
    'svc-1.2.3-windows-x64.zip': new Uint8Array(),
  });
  const logged: unknown[] = [];
  const log = { error: (fields: unknown) => void logged.push(fields) };
  const downloads = createDownloads({ downloadsDir, baseUrl: BASE_URL, clock, log });
  expect((await downloads()).map(({ system }) => system)).toEqual(['linux-x64']);
  expect(logged).toMatchObject([{ file: expect.stringContaining('macos') }, { file: expect.any(String) }]);
});

it('reads an archive again once it changed', async () => {
  const { downloadsDir } = await downloadsIn({ [`${NAME}.zip`]: archive('{}') });
  const log = { error: (fields: unknown) => expect.fail(JSON.stringify(fields)) };
  const first = await createDownloads({ downloadsDir, baseUrl: BASE_URL, clock, log })();
  await writeFile(join(downloadsDir, `${NAME}.zip`), archive('{ }'));
  await utimes(join(downloadsDir, `${NAME}.zip`), 1, 1);
  const second = await createDownloads({ downloadsDir, baseUrl: BASE_URL, clock, log })();
  expect(second[0]?.sha256).not.toBe(first[0]?.sha256);
});
