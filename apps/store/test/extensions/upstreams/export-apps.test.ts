import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { commandsOf, publicStore } from './support.ts';

const BUNDLE = '/bundle';

async function exporting() {
  const origin = await publicStore();
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const id = `com.example.${name}`;
    await origin.publish(origin.token, { id, name: `Notes ${name}` });
    await origin.decide('approve', '1.0.0', {}, id);
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const run = commandsOf(origin);
  const out = join(folder, '1.svcx');
  return {
    ...{ origin, folder, out },
    bundlesAsked: () => origin.asked.filter((path) => path.endsWith(BUNDLE)).length,
    run: (options: Record<string, unknown> = {}) => run('export', origin.address, { out, ...options }),
  };
}

it('an export that was cut goes on with the bundles that it has', async () => {
  const { origin, folder, out, run, bundlesAsked } = await exporting();
  let left = 3;
  origin.lie((path) => {
    if (path.endsWith(BUNDLE) && left-- <= 0)
      return Response.json({ code: 'unauthorized', message: 'Sign in.', requestId: 'r' }, { status: 401 });
    return undefined;
  });
  await expect(run()).rejects.toThrow(/members/);
  expect(await readdir(folder)).toEqual(['1.svcx.part']);
  const before = (await readdir(join(folder, '1.svcx.part', 'bundles'))).length;
  expect(before).toBeGreaterThan(0);
  origin.lie(() => undefined);
  origin.asked.length = 0;
  expect(await run()).toContain('6 apps of');
  expect(bundlesAsked()).toBe(6 - before);
  expect(await readdir(folder)).toEqual(['1.svcx']);
  await expect(run()).rejects.toThrow(/exists: name another file/);
  // It was whole, and ended before that was reported.
  const bytes = await readFile(out);
  await mkdir(`${out}.part`);
  expect(await run()).toContain('6 apps of');
  expect(await readdir(folder)).toEqual(['1.svcx']);
  expect((await readFile(out)).equals(bytes)).toBe(true);
});

it('an export is put together only of what was read', async () => {
  const { folder, out, run } = await exporting();
  await run();
  await rename(out, join(folder, 'whole.svcx'));
  const since = join(folder, 'whole.svcx');
  expect(await run({ since })).toContain('6 apps of');
  expect(await readdir(folder)).toEqual(['1.svcx', 'whole.svcx']);
  const other = join(folder, 'other.txt');
  await writeFile(other, '# https://other.example -\n');
  await rm(out);
  await expect(run({ since: other })).rejects.toThrow(/--since names apps of https:\/\/other\.example/);
  await writeFile(other, 'anything');
  await expect(run({ since: other })).rejects.toThrow(/neither an export nor a list|damaged/);
  await expect(run({ since: join(folder, 'none') })).rejects.toThrow(/cannot be read/);
});
