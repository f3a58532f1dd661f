import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { start } from '../../support/program.ts';

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-prepare-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

it('creates the key once, and changes neither the key nor the data folder afterwards', async () => {
  const dataDir = await folder();
  const key = join(await folder(), 'keys', 'key.pem');
  const said: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    const run = start({ SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: key }, ['prepare']);
    expect(await run.exit).toBe(0);
    said.push(run.output.err);
  }
  expect(said[0]).toMatch(/^svc-store: .* It signs with ed25519-[0-9a-f]{16}\.\n$/);
  expect(said[1]).toBe(said[0]);
  expect(await readdir(dataDir)).toEqual([]);
});

it('creates no key when the bucket cannot be created, and reports that in one line', DEEP, async () => {
  const keys = await folder();
  const environment = {
    SVC_SIGNING_KEY_FILE: join(keys, 'key.pem'),
    SVC_BLOBS: 's3://apps?endpoint=http://127.0.0.1:2',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
  const run = start(environment, ['prepare']);
  expect(await run.exit).toBe(1);
  expect(run.output.err).toMatch(/^svc-store: The store was not prepared: [^\n]+\n$/);
  expect(await readdir(keys)).toEqual([]);
});
