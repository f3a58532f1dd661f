import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readWebFiles } from '../../../src/features/web/read-web-files.ts';

it('reads the files that a browser uses, and ignores other files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'check.html'), '<!doctype html>');
  await writeFile(join(folder, 'assets', 'check-1.js'), 'let a;');
  await writeFile(join(folder, '.env'), 'SECRET=1');
  const files = await readWebFiles(folder);
  expect([...files.keys()].sort()).toEqual(['assets/check-1.js', 'check.html']);
  expect(files.get('assets/check-1.js')).toMatchObject({ type: 'text/javascript; charset=utf-8' });
});

it('returns no files if the pages were not built', async () => {
  expect((await readWebFiles(null)).size).toBe(0);
});
