import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openResourceReader } from '../../../src/adapters/process/read-resources.ts';

const SOURCE = join(import.meta.dirname, '../../../src');

it('reads memory and heap, each below its limit', async () => {
  const read = await openResourceReader();
  const byName = new Map((await read()).map((resource) => [resource.name, resource]));
  for (const name of ['memory', 'heap']) {
    const { used = 0, limit = 0 } = byName.get(name) ?? {};
    expect(used, name).toBeGreaterThan(0);
    expect(used, name).toBeLessThan(limit);
  }
});

it('warns of a process with few descriptors before and while none is free, once, and says when they are free', {
  skip: process.platform !== 'linux',
}, () => {
  const program = `import { closeSync, openSync } from 'node:fs';
    const { openResourceReader } = await import(${JSON.stringify(join(SOURCE, 'adapters/process/read-resources.ts'))});
    const { createResources } = await import(${JSON.stringify(join(SOURCE, 'platform/resources.ts'))});
    const lines = [];
    const log = { warn: ({ used, limit }, line) => lines.push([used, limit, line]) };
    const { check } = createResources({ log, clock: () => new Date(), read: await openResourceReader() });
    const state = async () => (await check()).find(({ name }) => name === 'file descriptors');
    const open = [];
    const first = await state();
    while (open.length + first.used < 56) open.push(openSync('/dev/null'));
    const near = await state();
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    const none = await state();
    open.forEach(closeSync);
    const after = await state();
    console.log(JSON.stringify({ first, near, none, after, lines }));`;
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const { first, near, none, after, lines } = JSON.parse(stdout);
  expect(first).toEqual({ name: 'file descriptors', used: first.used, limit: 60, since: null });
  expect(near).toMatchObject({ used: 56, since: expect.any(String) });
  expect(none).toMatchObject({ used: 60, since: near.since });
  expect(after).toEqual(first);
  expect(lines).toEqual([
    [56, 60, 'This process is near the end of its file descriptors.'],
    [first.used, 60, 'This process has enough file descriptors again.'],
  ]);
});
