import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeAtomic } from '../../src/io/write-atomic.ts';
import { tempFolder } from '../support/command-context.ts';

it('replaces a symbolic link with the file, and does not write to its target', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'a');
  await writeFile(path.join(folder, 'other'), 'other');
  await symlink('other', file);
  await writeAtomic(file, 'new', 0o600);
  expect(await readFile(file, 'utf8')).toBe('new');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(folder, 'other'), 'utf8')).toBe('other');
});

it('sets exactly the given mode, independent of the umask', async () => {
  const file = path.join(await tempFolder(), 'a');
  await writeAtomic(file, 'new', undefined, { exactMode: 0o777 });
  expect((await stat(file)).mode & 0o777).toBe(0o777);
});

it('leaves no temporary file when it fails', async () => {
  const folder = await tempFolder();
  await mkdir(path.join(folder, 'taken'));
  await expect(writeAtomic(path.join(folder, 'taken'), 'x')).rejects.toThrow();
  expect(await readdir(folder)).toEqual(['taken']);
});
