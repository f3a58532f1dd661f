import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderError, readFolder } from '../src/folder.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ENOENT', 'missing', 'ui/a does not exist.'],
  ['ENOTDIR', 'not-a-folder', 'ui/a is not a folder.'],
  ['ELOOP', 'link', 'ui/a is a symbolic link: replace it by the file.'],
  ['EACCES', 'unreadable', 'ui/a cannot be read (EACCES).'],
])('%s becomes %s', (code, fault, message) => {
  const cause = systemError(code);
  expect(FolderError.of('ui/a', cause)).toMatchObject({
    name: 'FolderError',
    fault,
    path: 'ui/a',
    message,
    cause,
  });
});

test('other errors are returned unchanged', () => {
  const bug = new TypeError('a bug');
  const earlier = new FolderError('link', 'b', 'b is a link.');
  expect(FolderError.of('a', bug)).toBe(bug);
  expect(FolderError.of('a', earlier)).toBe(earlier);
});

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc-folder-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function names(): Promise<string[]> {
  return [...(await readFolder(dir)).entries.keys()];
}

describe('readFolder', () => {
  test('reads every file, with forward slashes, in order of code units', async () => {
    await write({
      'plugin.json': '{}',
      'ui/b.js': 'b',
      'ui/a/c.js': 'c',
      'ui-x': 'x',
      'B.md': 'B',
      stray: '',
    });
    expect(await names()).toEqual(['B.md', 'plugin.json', 'stray', 'ui-x', 'ui/a/c.js', 'ui/b.js']);
    const { entries, leftOut } = await readFolder(dir);
    expect(entries.get('ui/a/c.js')).toEqual(new TextEncoder().encode('c'));
    expect(leftOut).toEqual([]);
  });

  test('leaves out files that never belong in a bundle, and reports them', async () => {
    await write({
      'plugin.json': '{}',
      '.git/config': '',
      '.env': 'SECRET=1',
      'ui/.DS_Store': '',
      'ui/Thumbs.db': '',
      'ui/desktop.ini': '',
      'node_modules/x/index.js': '',
      'ui/node_modules/y.js': '',
      'old-1.0.0.svc-app': '',
      'ui/env': '',
    });
    const { entries, leftOut } = await readFolder(dir);
    expect([...entries.keys()]).toEqual(['plugin.json', 'ui/env']);
    expect(leftOut).toEqual([
      { path: '.env', why: expect.stringContaining('dot') },
      { path: '.git/', why: expect.stringContaining('dot') },
      { path: 'node_modules/', why: expect.stringContaining('installed packages') },
      { path: 'old-1.0.0.svc-app', why: expect.stringContaining('packed bundle') },
      { path: 'ui/.DS_Store', why: expect.stringContaining('dot') },
      { path: 'ui/Thumbs.db', why: expect.stringContaining('operating system') },
      { path: 'ui/desktop.ini', why: expect.stringContaining('operating system') },
      { path: 'ui/node_modules/', why: expect.stringContaining('installed packages') },
    ]);
  });

  test('leaves out files that .svcignore names, in gitignore syntax', async () => {
    await write({
      '.svcignore': '# sources\nsrc/\n*.map\n!keep.map\n/top.txt\n',
      'plugin.json': '{}',
      'src/a.ts': '',
      'ui/a.map': '',
      'ui/keep.map': '',
      'ui/top.txt': '',
      'ui/A.MAP': '',
      'top.txt': '',
    });
    const { entries, leftOut } = await readFolder(dir);
    expect([...entries.keys()]).toEqual(['plugin.json', 'ui/A.MAP', 'ui/keep.map', 'ui/top.txt']);
    const named = leftOut.filter(({ why }) => why.includes('.svcignore')).map((item) => item.path);
    expect(named).toEqual(['src/', 'top.txt', 'ui/a.map']);
  });

  test('refuses a missing folder, and a file', async () => {
    const missing = path.join(dir, 'nowhere');
    await expect(readFolder(missing)).rejects.toMatchObject({ fault: 'missing', path: missing });
    await write({ 'plugin.json': '{}' });
    const file = path.join(dir, 'plugin.json');
    await expect(readFolder(file)).rejects.toMatchObject({ fault: 'not-a-folder', path: file });
    await expect(readFolder(file)).rejects.toBeInstanceOf(FolderError);
  });

  test.each([
    ['a file', 'plugin.json'],
    ['a folder', 'ui'],
    ['a missing file', 'nowhere'],
    ['a file outside', os.devNull],
  ])('refuses a symbolic link to %s', async (_, target) => {
    await write({ 'plugin.json': '{}', 'ui/a.js': '' });
    await symlink(target, path.join(dir, 'ui', 'link'));
    await expect(readFolder(dir)).rejects.toMatchObject({
      fault: 'link',
      path: 'ui/link',
      message: expect.stringContaining('ui/link is a symbolic link'),
    });
  });

  test('ignores links that are left out', async () => {
    await write({ 'plugin.json': '{}', 'node_modules/x.js': '' });
    await symlink('x.js', path.join(dir, 'node_modules', 'link'));
    await symlink('plugin.json', path.join(dir, '.link'));
    expect(await names()).toEqual(['plugin.json']);
  });

  test('refuses a .svcignore that is a link', async () => {
    await write({ rules: 'a' });
    await symlink('rules', path.join(dir, '.svcignore'));
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'link', path: '.svcignore' });
  });

  test('refuses a named pipe, without waiting for it', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no named pipes in folders');
    execFileSync('mkfifo', [path.join(dir, 'pipe')]);
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'special', path: 'pipe' });
  });

  test('refuses a file that it may not read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'the tests run as root, who may read everything');
    await write({ secret: 'x' });
    await chmod(path.join(dir, 'secret'), 0);
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'unreadable', path: 'secret' });
  });

  test('stops at too many bytes, before it reads them', async () => {
    await write({ 'a.bin': '', 'b.bin': '' });
    await truncate(path.join(dir, 'a.bin'), 10);
    await truncate(path.join(dir, 'b.bin'), LIMITS.bundle.inflatedBytes - 9);
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'too-large', path: 'b.bin' });
  });

  test('stops at too many files', async () => {
    await mkdir(path.join(dir, 'ui'));
    const files = Array.from({ length: LIMITS.bundle.entries + 1 }, (_, index) => `ui/${index}`);
    await Promise.all(files.map((file) => writeFile(path.join(dir, file), '')));
    await expect(readFolder(dir)).rejects.toMatchObject({ fault: 'too-many' });
  });
});
