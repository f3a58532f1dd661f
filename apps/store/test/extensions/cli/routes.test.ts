import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BASE_URL, openTestStore } from '../../support/test-store.ts';

/** A package in the format of npm pack, created with tar in a new folder. */
async function packedIn(): Promise<{ folder: string; cliFile: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'package'));
  await writeFile(
    join(folder, 'package', 'package.json'),
    JSON.stringify({ name: '@svc/cli', version: '1.2.3' }, null, 2),
  );
  await writeFile(join(folder, 'package', 'other'), 'x'.repeat(513));
  const cliFile = join(folder, 'cli.tgz');
  execFileSync('tar', [
    '-C',
    folder,
    '--format=ustar',
    '-czf',
    cliFile,
    'package/package.json',
    'package/other',
  ]);
  return { folder, cliFile };
}

it('serves the CLI package with the URL of the store added, readable by tar', async () => {
  const { folder, cliFile } = await packedIn();
  const { call } = await openTestStore({ cliFile });
  const answer = await call('GET', '/cli.tgz');
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get('content-length')).toBe(String(bytes.length));
  const served = join(folder, 'served.tgz');
  await writeFile(served, bytes);
  const out = join(folder, 'out');
  await mkdir(out);
  execFileSync('tar', ['-C', out, '-xzf', served]);
  expect(JSON.parse(await readFile(join(out, 'package/store.json'), 'utf8'))).toEqual({ store: BASE_URL });
  for (const file of ['package.json', 'other']) {
    expect(await readFile(join(out, 'package', file))).toEqual(await readFile(join(folder, 'package', file)));
  }
  const etag = answer.headers.get('etag') ?? '';
  expect((await call('GET', '/cli.tgz', { headers: { 'if-none-match': etag } })).status).toBe(304);
});

it('shows how to install the CLI, with the URL of the store, its version and its hashes', async () => {
  const { cliFile } = await packedIn();
  const { call } = await openTestStore({ cliFile });
  const bytes = Buffer.from(await (await call('GET', '/cli.tgz')).arrayBuffer());
  const page = await (await call('GET', '/cli')).text();
  for (const said of [
    `npx ${BASE_URL}/cli.tgz login`,
    `npm install --global ${BASE_URL}/cli.tgz`,
    '<code>1.2.3</code>',
    createHash('sha256').update(bytes).digest('hex'),
    `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  ])
    expect(page).toContain(said);
  expect(
    [...page.matchAll(/type="radio" name="way"( checked)?>(\w+)</g)].map(([, , title]) => title),
  ).toEqual(['npx', 'npm']);
});

it('answers 404 when the CLI was not built', async () => {
  const { call } = await openTestStore();
  for (const path of ['/cli', '/cli.tgz']) expect((await call('GET', path)).status).toBe(404);
});

it('answers 500 when the package is damaged', async () => {
  const { cliFile } = await packedIn();
  await writeFile(cliFile, (await readFile(cliFile)).subarray(0, 40));
  const { call } = await openTestStore({ cliFile });
  expect((await call('GET', '/cli.tgz')).status).toBe(500);
});
