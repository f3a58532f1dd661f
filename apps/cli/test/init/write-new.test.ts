import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeNew } from '../../src/init/write-new.ts';
import { tempFolder } from '../support/command-context.ts';

const FILES = new Map([
  ['plugin.json', '{}'],
  ['ui/index.html', 'page'],
]);

it('creates the folder and its files', async () => {
  const cwd = await tempFolder();
  await writeNew(path.join(cwd, 'a/b'), 'a/b', FILES);
  expect(await readFile(path.join(cwd, 'a/b/ui/index.html'), 'utf8')).toBe('page');
});

it('writes into an existing folder next to other files', async () => {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, '.git'));
  await mkdir(path.join(cwd, 'ui'));
  await writeNew(cwd, '.', FILES);
  expect((await readdir(cwd)).sort()).toEqual(['.git', 'plugin.json', 'ui']);
});

it.each(['plugin.json', 'ui/index.html'])('writes nothing when %s exists', async (name) => {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, 'ui'));
  await writeFile(path.join(cwd, name), 'mine');
  await expect(writeNew(cwd, 'here', FILES)).rejects.toMatchObject({
    exitCode: 2,
    message: `here already contains ${name}; nothing was written.`,
  });
  expect(await readFile(path.join(cwd, name), 'utf8')).toBe('mine');
  expect(await readdir(cwd, { recursive: true })).toEqual([...new Set(['ui', name])].sort());
});

it('does not follow symbolic links', async () => {
  const cwd = await tempFolder();
  const elsewhere = await tempFolder();
  await symlink(elsewhere, path.join(cwd, 'ui'));
  await expect(writeNew(cwd, 'here', FILES)).rejects.toThrow('here already contains ui');
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(cwd)).toEqual(['ui']);
});

it('removes written files when it fails', async () => {
  const cwd = await tempFolder();
  // A name that every file system refuses, after two valid ones.
  const files = new Map([...FILES, [`new/${'x'.repeat(300)}`, 'too long']]);
  await expect(writeNew(path.join(cwd, 'made/app'), 'made/app', files)).rejects.toThrow(
    'nothing was written',
  );
  expect(await readdir(cwd)).toEqual([]);
});

it('reports when it cannot write to the folder', async () => {
  const cwd = await tempFolder();
  await writeFile(path.join(cwd, 'file'), 'mine');
  await expect(writeNew(path.join(cwd, 'file/app'), 'file/app', FILES)).rejects.toMatchObject({
    exitCode: 2,
    message: 'Cannot write to file/app (ENOTDIR); nothing was written.',
  });
});
